"""What a share shows of its conversation. What is left out here is not in the files, whatever a page hides or folds."""

from sitegen.privacy.show import narrow

__all__ = ["narrow"]
