"""The script that a shell reads, made from the arguments of all commands."""

import shtab
from hopwatch.cli import command_line

from hopwatch_console.completion.values import tell_values

_WHOLE_WORDS = """
# bash takes words apart at colons, which addresses have: they are put together again, and what is typed already is left out
_hopwatch_whole_words() {
  local -a words=()
  local word line=$COMP_LINE place=0 index
  for ((index = 0; index < ${#COMP_WORDS[@]}; index++)); do
    word=${COMP_WORDS[index]}
    if ((index > 0)) && [[ ${line:0:1} != [[:space:]] && ( $word == :* || ${words[-1]} == *: ) ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
    line=${line#"${line%%[![:space:]]*}"}
    line=${line#"$word"}
    ((index == COMP_CWORD)) && place=$((${#words[@]} - 1))
  done
  COMP_WORDS=("${words[@]}")
  COMP_CWORD=$place
  _shtab_hopwatch "$@"
  word=${COMP_WORDS[COMP_CWORD]}
  [[ $word == *:* && $COMP_WORDBREAKS == *:* ]] && COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*:}"}"}")
  return 0
}
complete -o bashdefault -F _hopwatch_whole_words hopwatch
"""


def script_for(shell: str) -> str:
    """Of all commands whose extras are installed."""
    parser = command_line().parser
    tell_values(parser)
    script: str = shtab.complete(parser, shell)
    return f"{script}\n{_WHOLE_WORDS if shell == 'bash' else ''}"
