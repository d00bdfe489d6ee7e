import pyfiglet
from pyfiglet import Figlet, FigletFont, FontNotFound

for font in "standard", "slant", "banner", "digital", "big":
    print(pyfiglet.figlet_format("Mini VM", font=font))
f = Figlet(font="small", width=30, justify="right")
print(
    f.renderText("a long line wraps"),
    f.renderText("x\ny").reverse(),
    Figlet(direction="right-to-left").renderText("ab").flip(),
)
print(
    len(FigletFont.getFonts()) > 100, FigletFont(font="standard").height, FigletFont.infoFont("slant").splitlines()[0]
)
try:
    Figlet(font="no such font")
except FontNotFound as error:
    print(type(error).__name__)
