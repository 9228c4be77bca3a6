"""The values of a workbook, computed by LibreOffice."""

import shutil
import subprocess

import openpyxl
import pytest

OFFICE = shutil.which("soffice") or shutil.which("libreoffice")
needs_office = pytest.mark.skipif(OFFICE is None, reason="LibreOffice is not installed")


def computed(path, sheet):
    """Return the rows of a sheet of a workbook, each a dict by the first row."""
    folder = path.parent / "computed"
    profile = f"-env:UserInstallation={(path.parent / 'profile').as_uri()}"
    command = [OFFICE, profile, "--headless", "--convert-to", "xlsx", "--outdir", str(folder)]
    subprocess.run([*command, str(path)], check=True, timeout=120, capture_output=True)
    heads, *rows = openpyxl.load_workbook(folder / path.name, data_only=True)[sheet].values
    return [dict(zip(heads, row, strict=True)) for row in rows]
