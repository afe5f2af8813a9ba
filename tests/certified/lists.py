"""Linear algebra on lists of numbers of any arithmetic: matrices are lists of lines."""

__all__ = ["cholesky", "dot", "inverse", "multiply", "outer", "plus", "solve", "times", "transposed", "zeros"]


def zeros(size, arithmetic):
    """Make a square matrix of zeros."""
    return [[arithmetic.zero] * size for _ in range(size)]


def dot(a, b):
    """Sum of products."""
    return sum(x * y for x, y in zip(a, b, strict=True))


def times(matrix, vector):
    """Matrix times vector."""
    return [dot(line, vector) for line in matrix]


def transposed(matrix):
    """Turn lines into columns."""
    return [list(column) for column in zip(*matrix, strict=True)]


def multiply(left, right):
    """Matrix times matrix."""
    return [times(transposed(right), line) for line in left]


def plus(matrix, other, factor=1):
    """Add a multiple of another matrix."""
    return [[a + factor * b for a, b in zip(*lines, strict=True)] for lines in zip(matrix, other, strict=True)]


def outer(a, b):
    """Return the matrix a b'."""
    return [[x * y for y in b] for x in a]


def cholesky(matrix, arithmetic):
    """Lower triangle L with L L' = matrix, or None where that is not positive definite."""
    L = zeros(len(matrix), arithmetic)
    for i in range(len(matrix)):
        for j in range(i + 1):
            rest = matrix[i][j] - sum(L[i][k] * L[j][k] for k in range(j))
            if i > j:
                L[i][j] = rest / L[j][j]
            elif rest > 0:
                L[i][i] = arithmetic.sqrt(rest)
            else:
                return None
    return L


def solve(L, rhs):
    """Solve L L' x = rhs."""
    x = list(rhs)
    for i in range(len(x)):
        x[i] = (x[i] - sum(L[i][k] * x[k] for k in range(i))) / L[i][i]
    for i in reversed(range(len(x))):
        x[i] = (x[i] - sum(L[k][i] * x[k] for k in range(i + 1, len(x)))) / L[i][i]
    return x


def inverse(matrix, arithmetic):
    """Invert a symmetric positive definite matrix."""
    L = cholesky(matrix, arithmetic)
    size = len(matrix)
    return [solve(L, [arithmetic.mpf(i == j) for j in range(size)]) for i in range(size)]
