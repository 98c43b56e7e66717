"""Configuration: presets, files, overrides, and mistakes that name their correction."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.config import preset_names, read_yaml, resolve, to_yaml
from flows.errors import ConfigError
from schemas.config import RunConfig


def test_the_quickstart_preset() -> None:
    config = resolve("quickstart")
    assert (config.users, config.tasks_per_user) == (8, 20)
    assert resolve() == config


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_is_whole_and_named_after_its_file(name: str) -> None:
    assert resolve(name).preset == name


def test_options_and_assignments_override_in_this_order() -> None:
    config = resolve("quickstart", None, {"users": 5}, ["users=6", "logging.level=debug", "products=100"])
    assert (config.users, config.logging.level, config.products) == (6, "debug", 100)


def test_a_file_gives_the_settings_and_its_name(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("seed: 3\nusers: 2\ntasks_per_user: 4\n")
    assert resolve(config=file).preset == "mine"


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "ä.json"
    file.write_text("{}")
    config = resolve("quickstart", None, {"out": "some/where", "personas": str(file)})
    file.unlink()
    assert RunConfig.model_validate(read_yaml(to_yaml(config), "test")) == config


@pytest.mark.parametrize(
    ("assignments", "said"),
    [
        (["usrs=3"], "did you mean 'users'"),
        (["tasks-per-user=3"], "did you mean 'tasks_per_user'"),
        (["logging.lvel=info"], "did you mean 'logging.level'"),
        (["logging=3"], "is a group"),
        (["users"], "wants key=value"),
        (["users=many"], "users"),
        (["users=0"], "users"),
        (["users=2.5"], "users"),
        (["users=true"], "users"),
        (["users=[1"], "is no value"),
        (["seed=-1"], "seed"),
        (["logging.level=loud"], "logging.level"),
    ],
)
def test_a_wrong_assignment_is_named(assignments: list[str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        resolve("quickstart", assignments=assignments)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("seed: 1\nusers: 2\ntask_per_user: 4\n", "did you mean 'tasks_per_user'"),
        ("seed: 1\nusers: 2\n", "tasks_per_user"),
        ("- 1\n", "one mapping"),
        ("seed: [1\n", "is no YAML"),
        ("logging: {colour: red}\nseed: 1\n", "logging.colour"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=said):
        resolve(config=file)


def test_unknown_presets_and_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="did you mean 'quickstart'"):
        resolve("quikstart")
    with pytest.raises(ConfigError, match=r"no\.yaml"):
        resolve(config=tmp_path / "no.yaml")
    with pytest.raises(ConfigError, match="exclude each other"):
        resolve("quickstart", tmp_path / "no.yaml")


def test_only_content_decides_the_digest() -> None:
    config = resolve("quickstart")
    same = resolve(
        "quickstart", None, {"users": 99, "tasks_per_user": 3, "workers": 4, "out": "x"}, ["logging.level=debug"]
    )
    assert same.content_digest() == config.content_digest()
    for change in ("seed=1", "products=361", "preset=other"):
        assert resolve("quickstart", assignments=[change]).content_digest() != config.content_digest()


@pytest.mark.parametrize("name", ["catalogue", "personas"])
def test_a_file_counts_by_what_stands_in_it(tmp_path: Path, name: str) -> None:
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    one.write_text("{}")
    other.write_text("{}")
    first, second = (resolve("quickstart", None, {name: str(file)}) for file in (one, other))
    assert first.content() == second.content()
    assert first != second
    assert first.content_digest() != resolve("quickstart").content_digest()
    other.write_text("[]")
    assert resolve("quickstart", None, {name: str(other)}).content_digest() != first.content_digest()


def test_a_resolved_configuration_refuses_a_file_that_was_changed(tmp_path: Path) -> None:
    file, settings = tmp_path / "shop.json", tmp_path / "mine.yaml"
    file.write_text("{}")
    written = resolve("quickstart", None, {"catalogue": str(file)})
    settings.write_text(to_yaml(written))
    assert resolve(config=settings) == written
    file.write_text("[]")
    with pytest.raises(ConfigError, match=r"catalogue: .*shop\.json' is not the file that the run was begun with"):
        resolve(config=settings)
    file.unlink()
    with pytest.raises(ConfigError, match=r"catalogue: cannot read .*shop\.json'"):
        resolve(config=settings)


@pytest.mark.parametrize("value", ["7", "''", "{sha256: x}", "[a]"])
def test_what_names_no_file_is_refused(value: str) -> None:
    with pytest.raises(ConfigError, match=r"personas: .* is no file; give its path"):
        resolve("quickstart", assignments=[f"personas={value}"])
