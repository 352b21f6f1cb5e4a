import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def root() -> pathlib.Path:
    return ROOT


@pytest.fixture
def ffn(root) -> str:
    return (root / "examples" / "ffn_block.v5e_2x4.hlo").read_text()


@pytest.fixture
def decode(root) -> str:
    return (root / "examples" / "decode_step.v5e.hlo").read_text()
