import io
from mido import (
    Message,
    MetaMessage,
    MidiFile,
    MidiTrack,
    Parser,
    bpm2tempo,
    parse_all,
    second2tick,
    tempo2bpm,
    tick2second,
    format_as_string,
    parse_string,
)
from mido.messages.messages import SysexData

m = Message("note_on", channel=2, note=60, velocity=64, time=3)
print(
    m,
    m.bytes(),
    m.hex(),
    m.copy(note=61),
    m == Message.from_str(str(m)),
    m.dict(),
    Message.from_bytes([0x90, 64, 0]).type,
    m.is_meta,
)
p = Parser()
p.feed([0x90, 60, 64, 0xF8, 0xF0, 1, 2, 3, 0xF7, 0xE0, 0, 0x50])
print(
    list(p),
    parse_all([0xB0, 7, 100, 8, 90]),
    parse_string("program_change program=5"),
    format_as_string(Message("pitchwheel", pitch=-100), include_time=False),
    SysexData((1, 2)) + (3,),
)
f = MidiFile(type=1, ticks_per_beat=480)
t = MidiTrack()
f.tracks.append(t)
t.append(MetaMessage("set_tempo", tempo=bpm2tempo(90), time=0))
t.append(MetaMessage("key_signature", key="Ebm"))
t.append(MetaMessage("track_name", name="Tr"))
for note in 60, 64, 67:
    t.append(Message("note_on", note=note, time=240))
    t.append(Message("note_off", note=note, time=480))
t.append(Message("sysex", data=(1, 2, 3)))
data = io.BytesIO()
f.save(file=data)
print(data.getvalue().hex(), round(f.length, 6))
again = MidiFile(file=io.BytesIO(data.getvalue()))
for message in again.tracks[0]:
    print(message)
print(
    [round(x.time, 4) for x in again], tempo2bpm(500000), second2tick(1.5, 480, 500000), tick2second(480, 480, 600000)
)
for wrong in (
    lambda: Message("note_on", note=200),
    lambda: Message("nosuch"),
    lambda: Message("clock", note=1),
    lambda: MidiFile(file=io.BytesIO(b"not midi")),
    lambda: MetaMessage("key_signature", key="H"),
):
    try:
        wrong()
    except (ValueError, OSError, LookupError, EOFError) as error:
        print(type(error).__name__, error)
