import chess
import chess.pgn
import io

b = chess.Board()
for san in "e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7#".split():
    b.push_san(san)
print(b, b.fen(), b.is_checkmate(), b.result(), b.peek(), len(b.move_stack))


def perft(board, depth):
    if not depth:
        return 1
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += perft(board, depth - 1)
        board.pop()
    return total


print(
    perft(chess.Board(), 3),
    perft(chess.Board("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"), 2),
)
game = chess.pgn.read_game(
    io.StringIO('[Event "X"]\n[White "A"]\n\n1. d4 d5 {centre} 2. c4 (2. Nf3 Nf6) 2... e6 $1 *\n')
)
print(game, game.headers["White"], [game.board().variation_san(game.mainline_moves())], game.variations[0].move.uci())
s = chess.SquareSet(chess.BB_RANK_4)
print(
    s,
    len(s),
    chess.square_name(27),
    chess.Board("8/8/8/8/8/5k2/6q1/7K w - - 0 1").is_check(),
    chess.Board("7k/8/8/8/8/8/8/K7 w - - 0 1").is_insufficient_material(),
    chess.Move.from_uci("e7e8q"),
)
for f in lambda: b.push_san("Zz9"), lambda: chess.Board("bad fen"), lambda: chess.Board().parse_san("e5"):
    try:
        f()
    except ValueError as error:
        print(type(error).__name__, error)
