"""Random draws of columns, one for each node of a tree in a forest.

Every node has a key: the root's is a hash of the seed, and a child's is a hash of its parent's key
and its branch. The key determines an order of the columns, and the node is split on one of the
first few columns of it. If none of these can split the node, it looks at the next column, and so
on. So what a node draws depends on the seed and on its path from the root, not on when it is split.

Source: Breiman, Random Forests (2001), for the draw itself; the hash is the output function of
SplitMix64.
"""

_BITS = (1 << 64) - 1  # all numbers are whole numbers modulo 2^64


def mix(x: int) -> int:
    """Return a hash of a number of 64 bits.

    Parameters
    ----------
    x : int
        The number.

    Returns
    -------
    int
        The hash, from 0 to 2^64 - 1.

    Examples
    --------
    >>> hex(mix(0))
    '0xe220a8397b1dcdaf'
    """
    x = (x + 0x9E3779B97F4A7C15) & _BITS
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _BITS
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _BITS
    return x ^ (x >> 31)


def child_key(parent: int, branch: int) -> int:
    """Return the key of a child.

    Parameters
    ----------
    parent : int
        The key of the parent.
    branch : int
        The branch of the child, from 0.

    Returns
    -------
    int
        The key.

    Examples
    --------
    >>> child_key(mix(0), 0) == child_key(mix(0), 1)
    False
    """
    return mix((parent + branch + 1) & _BITS)


def column_order(key: int, columns: list[int]) -> list[int]:
    """Return columns in the order in which a node draws them.

    At each place i, a random one of the columns from i on changes places with the one at i.

    Parameters
    ----------
    key : int
        The key of the node.
    columns : list of int
        The positions of the columns.

    Returns
    -------
    list of int
        The same positions in another order.

    Examples
    --------
    >>> column_order(mix(0), [0, 1, 2, 3])
    [0, 2, 3, 1]
    """
    order = list(columns)
    for i in range(len(order)):
        other = i + mix(((key ^ _BITS) + i) & _BITS) % (len(order) - i)
        order[i], order[other] = order[other], order[i]
    return order
