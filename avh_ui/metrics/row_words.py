"""One word of 64 bits for each value of a row, and the value of a word: what a sketch of rows adds up and takes apart again.

Three bits say what the word holds: a whole number, one of two or four decimal places, a double, a text of up to 7 bytes, or 40 bits of a
hash of a longer one. Null is 0, so that a column that is not there and one without a value are the same. Small numbers are small words,
whose sums compress. A double loses its last three bits of 52.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from avh_ui.metrics.column import Floats, decoded, kind_of
from avh_ui.metrics.distinct import text_keys
from avh_ui.metrics.row_keys import Hashes, mixed
from avh_ui.metrics.sampled_values import Values
from avh_ui.metrics.values_of_rows import longest, shortened, values_of

Places = NDArray[np.int64]
Bytes = NDArray[np.uint8]
# Hashes of texts in their order, where each stands among the texts, and these.
Known = tuple[Hashes, Places, pa.Array]
_WHOLE, _TWO, _FOUR, _DOUBLE, _TEXT, _HASH = range(1, 7)
_DECIMALS = {_TWO: 100.0, _FOUR: 10_000.0}
_TAG, _SHIFT = np.uint64(7), np.uint64(3)
# Whole numbers that doubles tell apart.
_EXACT = 2.0**53
_SHORT = 7
_FIRST_BYTES = np.array([2 ** (8 * count) - 1 for count in range(_SHORT + 1)], dtype=np.uint64)
_HASH_BITS = np.uint64(2**40 - 1)
# A key's text of up to so many bytes is kept whole, 7 of them a word: a row that is gone is named by it.
_KEY_BYTES = 28
# So many rows at a time: what is made of them stays in the processor's cache, which halves the time of 80,000.
_BLOCK = 8_192


def words_of_columns(
    columns: Mapping[str, pa.Array], by: Sequence[str], untyped: frozenset[str], *, hashed: bool
) -> Iterator[tuple[slice, dict[str, Hashes]]]:
    """The words of all rows, some rows at a time, by the name of their plane: of a column, or of the rest of a key's text (`_rest`)."""
    ways = {name: _way(name, column, untyped, name in by, hashed=hashed) for name, column in columns.items()}
    for start in range(0, len(next(iter(columns.values()))), _BLOCK):
        found: dict[str, Hashes] = {}
        for way in ways.values():
            found |= way(start)
        yield slice(start, start + _BLOCK), found


def _way(name: str, column: pa.Array, untyped: frozenset[str], of_key: bool, *, hashed: bool) -> Callable[[int], dict[str, Hashes]]:
    """What gives the words of the rows from a place on."""
    array = column if pa.types.is_dictionary(column.type) else decoded(column)
    if kind_of(decoded(array[:0]).type) not in ("string", "binary", "boolean"):
        return lambda start: {name: _words_of_numbers(array.slice(start, _BLOCK), hashed=hashed)}
    plain = name not in untyped and not hashed and kind_of(array.type) in ("string", "binary")
    if plain and longest(array) <= _SHORT:
        return lambda start: {name: _words_of_short_texts(array.slice(start, _BLOCK))}
    # Each distinct text is looked at once.
    encoded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    planes = _of_texts(name, encoded.dictionary, untyped, of_key, hashed)
    own = {plane: np.append(words, np.uint64(0)) for plane, words in planes.items()}
    indices = encoded.indices.fill_null(len(encoded.dictionary)) if encoded.indices.null_count else encoded.indices
    codes = np.asarray(indices.to_numpy(zero_copy_only=False))
    return lambda start: {plane: words[codes[start : start + _BLOCK]] for plane, words in own.items()}


def _words_of_short_texts(texts: pa.Array) -> Hashes:
    words = _text_words(texts)
    return np.where(np.asarray(texts.is_valid().to_numpy(zero_copy_only=False)), words, np.uint64(0)) if texts.null_count else words


def _of_texts(name: str, texts: pa.Array, untyped: frozenset[str], of_key: bool, hashed: bool) -> dict[str, Hashes]:
    if name not in untyped and not hashed and not texts.null_count and kind_of(texts.type) in ("string", "binary"):
        names = shortened(texts.cast(pa.binary()))
        return {name: _text_words(names)} | _rests_of(name, names, slice(None), of_key=of_key)
    values = values_of({name: texts}, untyped)[name]
    return _planes(name, values.hashed() if hashed else values, of_key)


def _words_of_numbers(array: pa.Array, *, hashed: bool) -> Hashes:
    if pa.types.is_integer(array.type) and not array.null_count:
        whole = np.asarray(array.to_numpy(zero_copy_only=False))
        if array.type.bit_width < 64 or (int(whole.max(initial=0)) < _EXACT and int(whole.min(initial=0)) > -_EXACT):
            return (whole.astype(np.int64).view(np.uint64) << _SHIFT) | np.uint64(_WHOLE)
    if pa.types.is_float64(array.type):
        numbers = np.asarray(array.to_numpy(zero_copy_only=False)) + 0.0
        if np.count_nonzero(np.isnan(numbers)) == array.null_count:
            return _number_words(numbers)
    # What is no number is a text.
    values = values_of({"": array})[""]
    return _planes("", values.hashed() if hashed else values, of_key=False)[""]


def words_of_values(columns: Mapping[str, Values], by: Sequence[str]) -> dict[str, Hashes]:
    """The same words, of rows whose values are known."""
    return {plane: words for name, values in columns.items() for plane, words in _planes(name, values, name in by).items()}


def values_of_words(planes: Mapping[str, Hashes], names: Sequence[str], known: pa.Array) -> dict[str, Values]:
    """The columns `names` of rows with these words. Longer texts are found among the `known` ones (binary); of one that is not a hash
    stands for it.
    """

    @cache
    def table() -> Known:
        # Most rows that differ have none of them.
        hashes = _hash_words(known) if len(known) else np.empty(0, np.uint64)
        order = np.argsort(hashes)
        return hashes[order], order, known

    return {name: _values_of(name, planes, table) for name in names}


def weight_of(plane: str) -> np.uint64:
    """What the words of a plane are multiplied with in the hash of a row: odd, and the same in every batch."""
    key = text_keys(pa.array([plane.encode("utf-8", "surrogatepass")], pa.binary())).view(np.uint64)
    return np.uint64(mixed(key)[0] | np.uint64(1))


def _planes(name: str, values: Values, of_key: bool) -> dict[str, Hashes]:
    words = _number_words(values.numbers)
    if not values.has_texts:
        return {name: words}
    texts = values.codes >= 0
    # All columns of a sample share their names, of which a few rows have a few.
    places, names = values.own
    codes = places[texts]
    words[texts] = _text_words(names)[codes]
    found = {name: words}
    for plane, rest in _rests_of(name, names, codes, of_key=of_key).items():
        found[plane] = np.zeros(len(words), np.uint64)
        found[plane][texts] = rest
    return found


def _rests_of(name: str, names: pa.Array, codes: Places | slice, *, of_key: bool) -> dict[str, Hashes]:
    """The planes of a key's texts that are too long for one word."""
    rests = enumerate(_rests(names)) if of_key else ()
    return {_rest(name, place): rest[codes] for place, rest in rests if rest[codes].any()}


def _rest(name: str, place: int) -> str:
    """The plane of the bytes of a key's longer texts."""
    return f"{name}\0{place}"


def _number_words(numbers: Floats) -> Hashes:
    """NaN is 0."""
    words = np.zeros(len(numbers), np.uint64)
    left: slice | Places = slice(None)
    with np.errstate(over="ignore", invalid="ignore"):
        for tag, factor in ((_WHOLE, 1.0), *_DECIMALS.items()):
            own = numbers[left]
            scaled = np.rint(own * factor) if factor > 1 else np.rint(own)
            held = (scaled / factor if factor > 1 else scaled) == own
            held &= np.abs(scaled) < _EXACT
            if held.all():
                words[left] = _tagged(scaled, tag)
                return words
            if held.any():
                places = np.flatnonzero(held)
                words[places if isinstance(left, slice) else left[places]] = _tagged(scaled[places], tag)
                left = np.flatnonzero(~held) if isinstance(left, slice) else left[~held]
    rest = numbers[left]
    words[left] = np.where(np.isnan(rest), np.uint64(0), (rest.view(np.uint64) & ~_TAG) | np.uint64(_DOUBLE))
    return words


def _tagged(whole: Floats, tag: int) -> Hashes:
    return (whole.astype(np.int64).view(np.uint64) << _SHIFT) | np.uint64(tag)


def _text_words(names: pa.Array) -> Hashes:
    lengths, starts, data = _bytes_of(names)
    short = (lengths <= _SHORT) & ~_ends_with_zero(lengths, starts, data)
    words = (_packed(np.where(short, lengths, 0), starts, data, 0) << _SHIFT) | np.uint64(_TEXT)
    if not short.all():
        words[~short] = (_hash_words(names.filter(pa.array(~short))) << _SHIFT) | np.uint64(_HASH)
    return words


def _hash_words(names: pa.Array) -> Hashes:
    return mixed(text_keys(names).view(np.uint64)) & _HASH_BITS


def _rests(names: pa.Array) -> list[Hashes]:
    """The bytes of the texts that are too long for one word, 7 to a word."""
    lengths, starts, data = _bytes_of(names)
    long = (lengths > _SHORT) & (lengths <= _KEY_BYTES) & ~_ends_with_zero(lengths, starts, data)
    lengths = np.where(long, lengths, 0)
    return [_packed(lengths, starts, data, at) for at in range(0, _KEY_BYTES, _SHORT)] if long.any() else []


def _bytes_of(names: pa.Array) -> tuple[Places, Places, Bytes]:
    """How long each text is, where it begins, and the bytes of all."""
    array = names.cast(pa.large_binary())
    _, ends, data = array.buffers()
    places = np.frombuffer(ends, np.int64)[array.offset : array.offset + len(array) + 1]
    return np.diff(places), places[:-1], np.frombuffer(b"\0" if data is None or not data.size else data, np.uint8)


def _ends_with_zero(lengths: Places, starts: Places, data: Bytes) -> NDArray[np.bool_]:
    """Of such a text the length is lost where its bytes are a number."""
    last = np.minimum(starts + np.maximum(lengths, 1) - 1, len(data) - 1)
    return np.asarray((lengths > 0) & (data[last] == 0))


def _packed(lengths: Places, starts: Places, data: Bytes, at: int) -> Hashes:
    """The 7 bytes of each text from a place on as a number."""
    # Eight bytes from any place on, of which those that are another text's are cut off.
    padded = np.concatenate([data, np.zeros(8 + at, np.uint8)])
    words = np.ndarray(len(padded) - 7, np.dtype("<u8"), padded, strides=(1,))[starts + at]
    return words & _FIRST_BYTES[np.clip(lengths - at, 0, _SHORT)]


def _values_of(name: str, planes: Mapping[str, Hashes], known: Callable[[], Known]) -> Values:
    count = len(next(iter(planes.values())))
    words = planes.get(name, np.zeros(count, np.uint64))
    tags, held = (words & _TAG).astype(np.int64), words >> _SHIFT
    numbers = np.full(count, np.nan)
    signed = (words.view(np.int64) >> 3).astype(np.float64)
    for tag, factor in {_WHOLE: 1.0, **_DECIMALS}.items():
        numbers[tags == tag] = signed[tags == tag] / factor
    numbers[tags == _DOUBLE] = (words[tags == _DOUBLE] & ~_TAG).view(np.float64)
    texts = np.flatnonzero((tags == _TEXT) | (tags == _HASH))
    codes = np.full(count, -1, dtype=np.int64)
    if not len(texts):
        return Values(numbers, codes, pa.nulls(0, pa.binary()))
    rests = [planes[plane] for place in range(_KEY_BYTES // _SHORT) if (plane := _rest(name, place)) in planes]
    found = [
        _unpacked([int(held[at])]) if tags[at] == _TEXT else _unpacked([int(rest[at]) for rest in rests]) or _among(held[at], known())
        for at in texts.tolist()
    ]
    distinct = {text: place for place, text in enumerate(dict.fromkeys(found))}
    codes[texts] = [distinct[text] for text in found]
    return Values(numbers, codes, pa.array(list(distinct), pa.binary()))


def _unpacked(words: Sequence[int]) -> bytes:
    return b"".join(word.to_bytes(8, "little")[:_SHORT] for word in words).rstrip(b"\0")


def _among(held: np.uint64, known: Known) -> bytes:
    hashes, order, names = known
    at = int(np.searchsorted(hashes, held))
    if at < len(hashes) and hashes[at] == held:
        return bytes(names[int(order[at])].as_py())
    return f"#{int(held):010x}".encode()
