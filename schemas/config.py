"""What a run is made from. Content fields decide the records; the others decide how many, where and how fast."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from schemas.base import Json, Model, digest

SIZE_FIELDS = ("users", "tasks_per_user")
"""May grow in a later call of the same run; every record made before stays as it is."""
InputName: TypeAlias = Literal["catalogue", "personas", "wearables"]
INPUT_FIELDS: tuple[InputName, ...] = ("catalogue", "personas", "wearables")
"""Files and folders of the user's own; what counts is what stands in them."""
FOLDER_FIELDS: tuple[InputName, ...] = ("wearables",)
"""Those that are folders, each named like the part of an environment that is made from it."""
RUNTIME_FIELDS = ("workers", "out", "logging")
"""May differ from call to call; no record depends on them."""


class Logging(Model):
    """What is said while a run goes on."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """Least severe message that is written to standard error."""
    progress: bool = True
    """Whether a progress line is shown on a terminal."""


class InputFile(Model):
    """A file, or a folder of files, of the user's own that records are made from."""

    path: Annotated[str, Field(min_length=1, max_length=4_000)]
    """Where it lies, from the folder in which the run is made; no record depends on it."""
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """SHA-256 of its bytes, or over the names and bytes of the files read in it; another content is another run."""


Texts: TypeAlias = Literal["all", "requests", "narratives"]


class Rewriting(Model):
    """Of a run whose texts a model put in other words: by which model, and from which run."""

    texts: Texts
    """Which texts: the requests of tasks, the narratives of users, or both."""
    writer: Annotated[str, Field(min_length=1, max_length=300)]
    """Name of the model."""
    parameters: dict[str, Json] = {}
    """What was sent beside the messages."""
    source: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """Digest of the manifest of the run that was rewritten."""


class RunConfig(Model):
    """The resolved configuration of one run."""

    preset: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]*$", max_length=60)]
    """Name of the preset; names the default folder too."""
    seed: Annotated[int, Field(ge=0, lt=2**63, strict=True)]
    """Root seed; with the index of a user it decides everything about that user."""
    users: Annotated[int, Field(ge=1, le=10_000_000, strict=True)]
    """How many users to make."""
    tasks_per_user: Annotated[int, Field(ge=0, le=10_000, strict=True)]
    """How many tasks to keep for each user; 0 makes users and their environments alone."""
    products: Annotated[int, Field(ge=60, le=20_000, strict=True)] = 360
    """Products in the catalogue of the world, unless it comes from `catalogue`."""
    multi_intent_percent: Annotated[int, Field(ge=0, le=100, strict=True)] = 0
    """Share of candidates, in percent, that ask for two to four things at once where these go together."""
    twins: Annotated[int, Field(ge=0, le=4, strict=True)] = 2
    """Of ten tasks of a user, how many are to be twins of others: one record of the start or one consent different."""
    variations: Annotated[int, Field(ge=0, le=4, strict=True)] = 1
    """Of ten tasks of a user, how many are to be variations of others: the same request told in another way."""
    catalogue: InputFile | None = None
    """File with a product catalogue of your own, instead of an invented one."""
    personas: InputFile | None = None
    """File with descriptions of persons, one a line; user i keeps to line i + 1."""
    wearables: InputFile | None = None
    """Folder with exports of wearers, whose signals users get in turn instead of modelled ones."""
    rewriting: Rewriting | None = None
    """Set by `pausegen rewrite`; such a run does not grow."""
    workers: Annotated[int, Field(ge=1, le=256, strict=True)] = 1
    """Processes that make blocks of users side by side."""
    out: str = ""
    """Folder of the run; empty for `outputs/runs/<preset>` below the current folder."""
    logging: Logging = Logging()

    def content(self) -> dict[str, Json]:
        """Return the fields that decide the records, as JSON data."""
        content: dict[str, Json] = self.model_dump(mode="json", exclude={*SIZE_FIELDS, *RUNTIME_FIELDS})
        for name in INPUT_FIELDS:
            given = content[name]
            if isinstance(given, dict):
                content[name] = {"sha256": given["sha256"]}
        if self.rewriting is None:
            del content["rewriting"]
        return content

    def input_file(self, name: InputName) -> InputFile | None:
        """Return one of the files of the user's own."""
        return {"catalogue": self.catalogue, "personas": self.personas, "wearables": self.wearables}[name]

    def content_digest(self) -> str:
        """Return the SHA-256 of the fields that decide the records."""
        return digest(self.content())
