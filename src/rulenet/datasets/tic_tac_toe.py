"""The end positions of tic-tac-toe, found by playing every game."""

import pandas as pd

from rulenet.datasets.factorial import as_nominal

Board = tuple[str, ...]

SQUARES = tuple(
    f"{row}-{column}-square" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right")
)
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def make_tic_tac_toe() -> tuple[pd.DataFrame, pd.Series]:
    """The 958 positions in which a game of tic-tac-toe can end, x moving first, in the order of the UCI file.

    Returns
    -------
    X, y : DataFrame of nine squares with the values b (blank), o and x, Series named "class"
        ``positive`` where x has three in a row, else ``negative``.

    Examples
    --------
    >>> X, y = make_tic_tac_toe()
    >>> y.value_counts().to_dict()
    {'positive': 626, 'negative': 332}
    """
    boards = sorted(_ends(), key=_place)
    X = as_nominal(pd.DataFrame(boards, columns=list(SQUARES)))
    return X, pd.Series(["positive" if _has_line(board, "x") else "negative" for board in boards], name="class")


def _ends() -> set[Board]:
    """The positions in which a game can end, found move by move."""
    ends: set[Board] = set()
    open_boards: set[Board] = {("b",) * 9}
    for player in "xoxoxoxox":
        moved = {(*b[:i], player, *b[i + 1 :]) for b in open_boards for i in range(9) if b[i] == "b"}
        ended = {board for board in moved if _has_line(board, player)}
        ends |= ended
        open_boards = moved - ended
    return ends | open_boards


def _has_line(board: Board, player: str) -> bool:
    return any(all(board[i] == player for i in line) for line in LINES)


def _place(board: Board) -> tuple[bool, bool, list[int]]:
    """Where the UCI file has the board: x has won, o has won, drawn; then x before o before blank."""
    return not _has_line(board, "x"), not _has_line(board, "o"), ["xob".index(square) for square in board]
