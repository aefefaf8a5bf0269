"""Which variables a command gets."""

import pytest

from dsh_tools.shell.environment import child_environment


@pytest.mark.parametrize(
    "name",
    [
        "GITHUB_TOKEN",
        "npm_config_token",
        "CLIENT_SECRET",
        "MY_SECRETS_FILE",
        "DB_PASSWORD",
        "DB_PASSWD",
        "MYSQL_PWD",
        "SMTP_PASS",
        "GPG_PASSPHRASE",
        "OPENAI_API_KEY",
        "APIKEY",
        "SIGNING_KEYS",
        "SSH_KEY_PATH",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "SESSION_COOKIE",
        "SENTRY_DSN",
        "NPM_AUTH",
        "AWS_PROFILE",
        "AWS_ACCESS_KEY_ID",
        "GITHUB_PAT",
    ],
)
def test_I06_what_is_named_like_a_secret_is_not_passed_on(name: str) -> None:
    """By its name, in any case of letters."""
    assert name not in child_environment({name: "s3cr3t-123"})
    assert name.lower() not in child_environment({name.lower(): "s3cr3t-123"})


@pytest.mark.parametrize("name", ["DATABASE_URL", "HTTPS_PROXY", "PIP_INDEX_URL"])
def test_I06_a_url_with_a_password_is_not_passed_on(name: str) -> None:
    """By its value; the same without a password is."""
    assert name not in child_environment({name: "postgres+x://user:s3cr3t@host/db"})
    assert name not in child_environment({name: "redis://:s3cr3t@host"})
    assert "https://user@host:80/a" == child_environment({name: "https://user@host:80/a"})[name]


@pytest.mark.parametrize(
    "name",
    [
        "BASH_ENV",
        "ENV",
        "SHELLOPTS",
        "BASHOPTS",
        "BASH_FUNC_git%%",
        "PS4",
        "CDPATH",
        "GLOBIGNORE",
        "PWD",
        "OLDPWD",
        "DSH_LSP_RUNTIME_DIR",
        "GIT_ASKPASS",
        "SSH_ASKPASS",
        "FORCE_COLOR",
    ],
)
def test_what_would_change_what_runs_is_not_passed_on(name: str) -> None:
    """Start files, exported functions, our own variables, and windows that ask for passwords."""
    assert name not in child_environment({name: "x"})


@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "HOME",
        "USER",
        "LANG",
        "LC_ALL",
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
        "PYTHONPATH",
        "SSH_AUTH_SOCK",
        "GIT_AUTHOR_NAME",
        "XAUTHORITY",
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "KEYBOARD",
        "COMPASS",
        "ENVIRONMENT",
        "GOPATH",
    ],
)
def test_what_programs_need_is_passed_on(name: str) -> None:
    """Paths, locale, virtual environments, and names that only resemble a secret's."""
    assert "/x" == child_environment({name: "/x"})[name]


def test_nothing_waits_for_a_person() -> None:
    """No pager, no prompt, no editor and no colours, whatever the user's own settings are."""
    settled = child_environment({"PAGER": "less", "TERM": "xterm", "EDITOR": "vim", "GIT_EDITOR": "code --wait"})

    assert {
        "TERM": "dumb",
        "NO_COLOR": "1",
        "PAGER": "cat",
        "GIT_PAGER": "cat",
        "MANPAGER": "cat",
        "GIT_TERMINAL_PROMPT": "0",
        "SSH_ASKPASS_REQUIRE": "never",
        "DEBIAN_FRONTEND": "noninteractive",
        "EDITOR": "true",
        "VISUAL": "true",
        "GIT_EDITOR": "true",
    } == settled
