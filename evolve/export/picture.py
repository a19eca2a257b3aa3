"""Weights as a small PNG file."""

from __future__ import annotations

import math
import struct
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from game.networks import pictures
from game.networks.kinds import KINDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from game.networks.spec import Spec

MOST_TILES = 64
WIDE = 384
"""Approximate width of a picture in pixels."""
NEGATIVE, POSITIVE, BETWEEN = (200, 80, 0), (0, 90, 180), (215, 215, 215)
"""Colours of the largest negative and positive weights, and of the lines between tiles; 0 is white."""

Tile = Any
"""A matrix whose first row is at the top."""


def first_weights(spec: Spec, weights: NDArray[np.float32]) -> bytes:
    """Return the weights by which a network multiplies the board as a PNG: orange negative, blue positive, white 0.

    Tables are drawn as boards, men before kings; a filter of a convolution as one kernel for each plane, of a diagonal
    layer as a square with its neighbours; an output of any other first layer as a board, or one for each kind of piece.
    All have one scale and the own back row at the bottom. Only the first `MOST_TILES` are drawn.

    Args:
        spec: the network.
        weights: a genome of finite weights.
    """
    tiles = _tiles(spec, np.asarray(weights, np.float64))[:MOST_TILES]
    high, wide = (max(tile.shape[axis] for tile in tiles) for axis in (0, 1))
    across = math.ceil(math.sqrt(len(tiles)))
    down = -(-len(tiles) // across)
    values = np.full((down * (high + 1) - 1, across * (wide + 1) - 1), np.nan)
    for number, tile in enumerate(tiles):
        top, left = number // across * (high + 1), number % across * (wide + 1)
        values[top : top + tile.shape[0], left : left + tile.shape[1]] = tile
    largest = np.nanmax(np.abs(values)) or 1.0
    share = np.nan_to_num(values / largest)[..., None]
    ends = np.where(share < 0, NEGATIVE, POSITIVE)
    colours = np.where(np.isnan(values)[..., None], BETWEEN, 255 + np.abs(share) * (ends - 255.0))
    large = max(1, WIDE // values.shape[1])
    return png(np.round(colours).astype(np.uint8).repeat(large, 0).repeat(large, 1))


def _tiles(spec: Spec, weights: NDArray[np.float64]) -> list[Tile]:
    tiles: list[Tile] = []
    if spec.tables:
        tiles += [_tile(grid) for _, grid in pictures.tables(spec, weights)]
    if not spec.layers:
        return tiles
    layer, before, after = spec.joint(0)
    part = spec.layer_parts(0)[0]
    kernels = part.of(weights)
    if layer.kind == "convolution":
        return tiles + [plane[::-1] for each in kernels.T for plane in each.transpose(0, 2, 1)]
    if layer.kind == "diagonal":
        crosses = [_tile(grid) for grid in pictures.crosses(kernels)]
        return tiles + [cross[:, at : at + 3] for cross in crosses for at in range(0, cross.shape[1], 4)]
    index = np.arange(part.start, part.stop).reshape(part.shape)
    wiring = KINDS[layer.kind].wiring(index, before, after)
    for reached in wiring.T[:MOST_TILES]:
        values = np.where(reached >= 0, weights[reached], 0.0)
        if len(before) == 3:
            tiles += [plane[::-1] for plane in values.reshape(before).transpose(2, 0, 1)]
        else:
            tiles += [_tile(pictures.board(plane)) for plane in values.reshape(-1, 32)]
    return tiles


def _tile(grid: pictures.Grid) -> Tile:
    return np.nan_to_num(np.array(grid, np.float64))[::-1]


def png(pixels: NDArray[np.uint8]) -> bytes:
    """Return a PNG file of uint8 pixels of shape (rows, columns, 3): red, green, blue.

    Source: PNG specification, third edition (W3C): signature, IHDR, IDAT, IEND.
    """
    high, wide, _ = pixels.shape
    lines = b"".join(
        b"\0" + line.tobytes() for line in pixels
    )  # each line begins with the number of its filter, 0 for none
    head = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    chunks = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
