# The targets of a Makefile with the comment that stands above each: what `make help` prints.
/^# ---- / { print "\n" substr($0, 8); text = ""; next }
/^#/ { text = text (text == "" ? "" : " ") substr($0, 3); next }
/^[a-z][a-z-]*:/ {
    name = substr($1, 1, length($1) - 1)
    if (text != "") {
        print "  make " name
        count = split(text, words, " ")
        line = "     "
        for (i = 1; i <= count; i++) {
            if (length(line) + length(words[i]) > 98) { print line; line = "     " }
            line = line " " words[i]
        }
        print line
    }
    text = ""
    next
}
/^[A-Z0-9_]+ [?:]?=/ { next } # the defaults of a target's variables
{ text = "" }
