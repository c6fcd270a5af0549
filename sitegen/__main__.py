"""`python -m sitegen`."""

if __name__ == "__main__":  # processes that a build starts import this module too, and need no commands
    from sitegen.cli import main

    main()
