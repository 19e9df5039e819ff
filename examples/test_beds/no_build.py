"""The build system that pip finds when it brings a source archive for the tests.

pip wants the metadata of an archive before it hands it out, and would let the archive's own code write them. Those are in
the archive already; this copies them, so nothing of the archive runs before its hash is known to be right.
"""

import email
import os
import shutil
import sys


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    with open("PKG-INFO", encoding="utf-8") as file:
        said = email.message_from_file(file)
    name = f"{said['Name']}-{said['Version']}.dist-info"
    os.mkdir(os.path.join(metadata_directory, name))
    shutil.copyfile("PKG-INFO", os.path.join(metadata_directory, name, "METADATA"))
    return name


# What pip asks for where an archive names no build system.
__legacy__ = sys.modules[__name__]
