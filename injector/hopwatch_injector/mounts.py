"""Where a container's own mounts and ours would meet."""

import posixpath
from pathlib import PurePosixPath
from typing import Any

from hopwatch_injector.errors import WishError
from hopwatch_injector.fragment import Fragment

Json = dict[str, Any]
MADE_FOR_THE_POD = {"emptyDir", "ephemeral"}
"""Kinds of volumes in which the node makes the folder that ours is mounted at; in others it may not, or somebody else sees it."""


def require_paths(container: Json, spec: Json, fragment: Fragment) -> None:
    """Raises WishError if a container mounts something where ours would be, or around it where no folder can be made, or in it."""
    volumes = spec.get("volumes") or ()
    open_volumes = {volume["name"] for volume in volumes if MADE_FOR_THE_POD & volume.keys()}
    for ours in (path_of(mount) for mount in fragment.application.volume_mounts):
        for mount in container.get("volumeMounts") or ():
            theirs = path_of(mount)
            is_open = mount.get("name") in open_volumes and not mount.get("readOnly")
            around = ours.is_relative_to(theirs) and not is_open
            if theirs.is_relative_to(ours) or around:
                raise WishError(
                    f"container {container['name']} mounts something at {theirs}, and hopwatch would at {ours}"
                )


def path_of(mount: Json) -> PurePosixPath:
    """Where it is in the end: a relative path is one from the root, and ``/var/run`` is ``/run`` in what images are made of."""
    path = PurePosixPath(posixpath.normpath("/" + str(mount.get("mountPath", "")).lstrip("/")))
    return PurePosixPath("/run", *path.parts[3:]) if path.parts[:3] == ("/", "var", "run") else path
