"""Eager operations on tensors of all dtypes, layouts and histories. Every argument is drawn by its kind from the rows below,
now and then of a wrong kind or left out, so that the texts of errors are judged as well."""
import re

imports = ["torch"]

HEAD = '''import torch
import torch.nn.functional as F
torch.manual_seed(0)
V = []


def show(value):
    if isinstance(value, torch.Tensor):
        t = value.detach().clone()
        numbers = [e if isinstance(e, (bool, int)) else "%.4g" % e if isinstance(e, float) else f"{e:.4g}"
                   for e in t.reshape(-1).tolist()]
        history = f"{value.requires_grad} {value.is_leaf} {value._version}"
        return f"{str(value.dtype)[6:]} {list(value.shape)} {list(value.stride())} {value.storage_offset()} {numbers} {history}"
    if isinstance(value, (tuple, list)):
        return " ; ".join(map(show, value))
    return f"{type(value).__name__} {value!r}"


def step(name, function):
    try:
        value = function()
        print(name, show(value))
    except Exception as error:
        print(name, type(error).__name__, str(error).replace("\\n", "~")[:400])
        return
    parts = value if isinstance(value, (tuple, list)) else [value]
    V.extend(e for e in parts if isinstance(e, torch.Tensor) and e.numel() < 40)


def v(i):
    return V[i % len(V)]


def store(t, index, value):
    t[index] = value
    return t


'''

# Kinds of arguments: t a tensor, n a number, d a dim, D dims, i indices, b a mask, s a shape, z a dtype, k keepdim, o a small int,
# l a list of tensors; a capital word is written as it is.
METHODS = [
    ("add sub mul div true_divide floor_divide remainder fmod maximum minimum pow atan2 hypot copysign eq ne lt ge gt le", "t"),
    ("add sub mul div floor_divide remainder pow eq lt ge bitwise_and bitwise_or logical_and logical_or", "n"),
    ("neg abs sign floor ceil round trunc square relu logical_not bitwise_not isnan isinf isfinite sgn positive frac signbit "
     "exp log sqrt rsqrt reciprocal sin cos tanh sigmoid erf digamma t T mT ravel flatten squeeze contiguous clone detach "
     "numel dim item tolist is_floating_point element_size nonzero trace diag diagonal tril triu argsort unique msort bincount "
     "float int bool double long half byte is_contiguous is_signed float bfloat16 conj type data is_complex aminmax "
     "sum mean prod std var max min amax amin argmax argmin all any median count_nonzero norm nansum mode isreal det inverse", ""),
    ("sum mean prod amax amin max min argmax argmin all any std var median logsumexp cumsum cumprod count_nonzero nansum "
     "cummax mode unbind sort argsort softmax log_softmax unsqueeze squeeze flip softmax kthvalue diff sum mean", "d"),
    ("sum mean prod amax amin max argmax all any std var median norm nansum", "dk"), ("sum mean amax std norm flip permute", "D"),
    ("sum prod cumsum to mean softmax", "dz"), ("to type new_zeros", "z"), ("roll repeat_interleave topk chunk tensor_split", "o"),
    ("roll chunk split tensor_split repeat_interleave topk kthvalue", "od"), ("transpose swapaxes movedim diagonal select flatten", "dd"),
    ("narrow unfold select", "doo"), ("reshape view expand repeat tile new_ones new_zeros broadcast_to view_as", "s"),
    ("clamp clip clamp_", "nn"), ("clamp clamp_min clamp_max fill_ add_ mul_ sub_ div_ pow_ fmod_ lt_ eq_", "n"), ("clamp clamp_min", "t"),
    ("add_ mul_ sub_ div_ copy_ pow_ logical_and_ bitwise_or_ lt_ maximum matmul mm dot mv bmm outer inner kron ger", "t"),
    ("zero_ neg_ abs_ relu_ t_ squeeze_ floor_ requires_grad_ exp_ round_ sign_ detach_ bitwise_not_ logical_not_ sqrt_", ""),
    ("unsqueeze_ squeeze_ cumsum_", "d"), ("index_select", "di"), ("gather", "di"), ("scatter scatter_add index_add index_copy", "dit"),
    ("scatter_ index_fill scatter", "din"), ("take index_put", "i"), ("masked_fill masked_fill_", "bn"), ("masked_select", "b"), ("where", "bt"),
    ("lerp", "tn"), ("addcmul addcdiv addmm baddbmm addmv addr", "tt"), ("as_strided", "ss"), ("expand_as reshape_as type_as to", "t"),
    ("isclose allclose equal dist cross", "t"), ("tensordot", "to"), ("view", "z"), ("unflatten", "ds"), ("histc", "o"), ("rot90", ""),
    ("new_full", "sn"), ("new_tensor", "n"), ("stride size", "d"), ("register_hook", "n"), ("backward", ""), ("backward", "t"), ("index_add_", "dit"),
]
FUNCTIONS = [
    ("cat stack hstack vstack dstack column_stack broadcast_tensors block_diag meshgrid cartesian_prod", "l"), ("cat stack", "ld"),
    ("zeros_like ones_like nan_to_num diag_embed triu isneginf std_mean var_mean rot90 fliplr flipud diagflat logdet atleast_2d", "t"),
    ("full_like", "tn"), ("searchsorted bucketize result_type can_cast lcm gcd nextafter heaviside float_power xlogy ldexp", "tt"),
    ("where", "btn"), ("arange", "n"), ("arange", "nnn"), ("linspace", "nno"), ("full", "sn"), ("eye", "o"), ("einsum", "Et"), ("einsum", "Ett"),
    ("tensor as_tensor", "n"), ("zeros ones", "sz"), ("combinations", "to"), ("repeat_interleave", "ti"), ("take_along_dim", "tid"),
    ("promote_types", "zz"), ("cdist", "tt"), ("renorm", "tndn"), ("norm", "tn"), ("logaddexp", "tt"), ("trapz", "t"),
]
FUNCTIONAL = [
    ("relu6 leaky_relu hardtanh gelu silu softplus elu one_hot normalize mish selu hardsigmoid logsigmoid", "t"), ("pad", "tP"), ("linear", "tt"),
    ("mse_loss l1_loss smooth_l1_loss binary_cross_entropy cosine_similarity kl_div huber_loss", "tt"), ("cross_entropy nll_loss", "ti"),
    ("layer_norm", "ts"), ("threshold", "tnn"), ("softmax log_softmax glu", "td"), ("dropout", "tF"), ("embedding", "it"), ("interpolate", "to"),
    ("max_pool1d avg_pool1d", "to"), ("conv1d", "tt"),
]
DTYPES = "uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 bool complex64".split()
KINDS = {
    "n": "2 -1 0.5 300 True 0 -3 1.5 2j 1e10".split(), "d": "0 -1 1 2 -2".split(), "D": "(0,1) (-1,0) [0] (0,0) ()".split(),
    "i": ["torch.tensor([0, 1])", "torch.tensor([[0, 1], [1, 0]])", "torch.tensor(1)", "torch.tensor([-1])", "torch.tensor([0])",
          "torch.tensor([[0, 1, 0]])", "torch.tensor([5])", "torch.tensor([], dtype=torch.int64)", "torch.tensor([0], dtype=torch.int32)"],
    "s": "(2,3) (-1,) (3,) (1,2,3) (2,-1) () (2,2) (0,3) (1,1)".split(), "k": ["True", "keepdim=True", "keepdim=False"], "o": "2 1 0 3 -1".split(),
    "E": ["'ij,kj->ik'", "'ij->j'", "'i,i->'", "'ij,ij->i'", "'ii->i'", "'...i->...'"], "P": "(1,0) (0,1,1,0) (-1,0) (1,)".split(), "F": ["0.5, False", "1.0"],
}
WRONG = ["'a'", "None", "[1, 2]", "1.5", "torch.float32", "v(0)", "True", "(1, 'b')", "2"]
INDEX = ["0", "-1", ":, 0", "..., 0", "None", "1:", "::2", ":, 1:", "[0, 1]", "[0], [1]", ":, [0, 2]", "..., None", "torch.tensor([1, 0])", "torch.tensor(1)",
         "True", "0, 1", "..., ::2", "[[0, 1], [1, 0]]", "2:1", "5", "'a'", "1.0", "[True, False]", "..., ...", "torch.tensor([True, False])", "::-1"]
START = ["torch.tensor([[1, -2, 3], [0, 4, -1]])", "torch.arange(6).reshape(2, 3)", "torch.tensor([2, 0, 1])", "torch.tensor(3)", "torch.ones(2, 3)", "torch.zeros(0, 3)",
         "torch.arange(12).reshape(2, 3, 2)", "torch.ones(3, 2).t()", "torch.arange(8)[1::2]", "torch.tensor([[1.], [2.]]).expand(2, 3)", "torch.tensor([])",
         "torch.tensor([1., float('nan'), -float('inf')])", "torch.ones(1, 3, 1)", "torch.tensor([[2., 1.], [0., 3.]])"]


def argument(r, kind):
    if r.random() < 0.01:
        return r.choice(WRONG)
    if kind == "t":
        return f"v({r.randrange(60)})"
    if kind == "z":
        return "torch." + r.choice(DTYPES)
    if kind == "b":
        return f"v({r.randrange(60)}) {r.choice(['>', '==', '<='])} {r.choice('01')}"
    if kind == "l":
        return "[" + ", ".join(f"v({r.randrange(60)})" for _ in range(r.randrange(1, 4))) + "]"
    return r.choice(KINDS[kind])


def call(r, rows):
    names, spec = r.choice(rows)
    arguments = [argument(r, kind) for kind in spec]
    if arguments and r.random() < 0.02:
        arguments.pop()
    if r.random() < 0.02:
        arguments.append(r.choice(["keepdim=True", "dim=0", "dtype=torch.float64", "nope=1", "2", "out=v(0)", "alpha=2", "rounding_mode='floor'"]))
    if any("=" in a and re.match(r"\w+=", a) for a in arguments[:-1]):
        arguments = [re.sub(r"^\w+=", "", a) for a in arguments]
    return r.choice(names.split()), ", ".join(arguments)


def expression(r):
    a, b = (f"v({r.randrange(60)})" for _ in "ab")
    way = r.random()
    if way < 0.55:
        name, arguments = call(r, METHODS)
        if name in ("T", "mT", "data"):
            return f"{a}.{name}"
        return f"{a}.{name}({arguments})" if r.random() < 0.8 else f"torch.{name}({', '.join(filter(None, [a, arguments]))})"
    if way < 0.68:
        return "torch.{}({})".format(*call(r, FUNCTIONS))
    if way < 0.74:
        return "F.{}({})".format(*call(r, FUNCTIONAL))
    operand = r.choice([b, b, argument(r, "n")])
    return r.choice([
        f"{a} {r.choice(['+', '-', '*', '/', '//', '%', '**', '<', '>=', '==', '!=', '&', '|', '^', '@', '<<'])} {operand}",
        f"{argument(r, 'n')} {r.choice(['+', '-', '*', '/', '//', '%', '**', '<', '&'])} {a}", f"-{a}", f"~{a}", f"abs({a})", f"round({a})",
        f"{a}[{r.choice(INDEX)}]", f"{a}[{a} > {argument(r, 'n')}]", f"store({a}, {r.choice(['0', 'slice(1, None)', '[0, -1]', a + ' > 1', '...', '-1'])}, {operand})",
        f"({a}.sum().backward(), {a}.grad)[1]", f"torch.autograd.grad(({a} * {b}).sum(), [{a}])", f"torch.autograd.grad({b}.sum(), {a}, allow_unused=True)",
        f"{a}.sum({argument(r, 'd')}).backward(retain_graph=True)", f"len({a})", f"bool({a})", f"int({a})", f"float({a})", f"list({a})", f"{b} in {a}",
        f"{a}.shape", f"{a}.grad_fn is None", f"{a}._base is None", f"torch.add({a}, {b}, alpha={argument(r, 'n')})", f"torch.mul({a}, {b}, out={b})",
    ])


def program(r):
    statements = []
    for i in range(r.randrange(20, 36)):
        fresh = i < 5 or r.random() < 0.08
        text = expression(r)
        if fresh:
            text = r.choice(START) + r.choice(["", "", f".to(torch.{r.choice(DTYPES)})", ".requires_grad_()", ".double().requires_grad_()", ".float()"])
        line = f"step({i}, lambda: {text})\n"
        statements.append("with torch.no_grad():\n    " + line if r.random() < 0.05 and not fresh else line)
    return HEAD, statements
