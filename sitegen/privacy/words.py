"""Names that mean no person: accounts that every system has, and words of the language that are also names."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_SYSTEM_FOLDERS: Final = frozenset(
    {
        b"shared",
        b"public",
        b"default",
        b"default user",
        b"all users",
        b"defaultuser0",
        b"linuxbrew",
        b"lost+found",
        b"node_modules",
        b"...",
    }
)
_FILE: Final = re.compile(
    rb"\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|vue|svelte|html?|s?css|json|ya?ml|toml|md|txt|sh|php|png|jpe?g|svg)$"
)
"""In an address of the web, `/home/index.html` is a page."""
_ACCOUNTS: Final = frozenset(
    """
    user users username root admin administrator ubuntu debian fedora centos alpine arch pi vagrant docker node
    nodejs runner runneradmin circleci jenkins gitlab github git build builder ci dev developer devuser test
    tester testuser guest demo example sandbox app apps application service server www www-data nginx apache http
    web api bot agent claude codex assistant vscode codespace codespaces coder gitpod jovyan jupyter notebook
    colab conda ec2-user azureuser opc cloudshell ansible deploy deployer worker nobody daemon bin sys mail
    postgres mysql redis mongodb elasticsearch kafka hadoop spark airflow nonroot appuser container me you your
    yourname your-name your_name your-username your_username yourusername name myuser myname my-user foo bar baz
    somebody someone anyone person home work project projects code src data local tmp temp public private default
    shared system windows linux mac macos osx linuxuser steam deck kali parrot oracle sap hpc student teacher
    staff employee customer client operator support helpdesk office owner author maintainer
    """.split()  # noqa: SIM905 - a list of a hundred words reads better so
)
_WORDS: Final = frozenset(
    """
    alice bob will mark may art bill rose grace frank hope joy dawn jack rob drew pat sky ray dean rich chase
    hunter mason carter taylor parker cook baker king page price young long white black brown green gray grey gold
    silver stone wood woods field fields hill hills lake river brook brooks bush rice ward bishop knight miller
    smith potter fisher cooper porter turner walker rider glen dale heath cliff robin jay wren max min sum mean
    norm case grant lance chance earl duke prince major penny ruby pearl amber olive ivy iris lily daisy violet
    rosemary ginger basil sage april june august summer autumn winter faith charity patience constance victor
    hector angel christian jean jewel crystal jade scarlett sandy misty stormy rusty dusty sunny star sol dot van
    von de la le el al an in on is it to do go so no we he she they them his her its our your my all any one two
    six ten and the for not but can has had was are were been out off over under into from with by at as or if of
    up be am us gene guy nick nat don ken ben dan tim tom sam joe ed jim kit lee ty rex rod dick peg bud buck chip
    dash flip flint forest reed reef ridge rocky sterling wade wayne wolf fox finch hawk bear drake colt lynx
    python perl java rust swift julia ada pascal haskell cobol dart elm main master head base core common util
    utils lib libs include static config conf docs doc help info log logs cache file files list item items key
    keys value values type types model models view views index table state store event events error errors message
    messages session sessions token tokens string number object array map set get put post new old next last first
    start stop end begin open close read write run make build clean check lint fix add edit move copy print note
    notes draft pages blog site sites news media image images video audio music photo photos book books
    """.split()  # noqa: SIM905
)


@lru_cache(maxsize=4096)
def is_system_folder(name: bytes) -> bool:
    """Whether a folder beside the homes is nobody's."""
    return name.lower() in _SYSTEM_FOLDERS or not name.strip(b".") or _FILE.search(name) is not None


def is_account(name: str) -> bool:
    """Whether a name is one that a system or a manual gives, not a person's."""
    return name.lower() in _ACCOUNTS


def is_word(name: str) -> bool:
    """Whether a name says nothing by itself: a common word, or too short to be told from one."""
    return len(name) < 3 or name.lower() in _WORDS or name.isdigit()
