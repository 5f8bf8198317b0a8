import type { LocalRun } from "../../Command.ts"
import { UsageError } from "../../Failure.ts"

/** The scripts only pass the words on; candidates are computed in one place for all shells. */
const completionScripts: Readonly<Record<string, string>> = {
  bash: String.raw`# lat completion for bash: source <(lat completion bash)
_lat() {
  # The words as they were typed: COMP_WORDS is cut at = : @ as well.
  local line=\${COMP_LINE:0:COMP_POINT} words reply broken breaks i
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  local current=\${words[-1]}
  mapfile -t reply < <("\${words[0]}" complete-words -- "\${words[@]:1}" 2>/dev/null)
  COMPREPLY=("\${reply[@]:1}")
  case \${reply[0]} in
    :files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    :folders) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
  esac
  # Readline replaces only what follows the last of these characters.
  breaks=\${COMP_WORDBREAKS//[^=:@]/}
  if [[ -n $breaks && $current == *["$breaks"]* ]]; then
    broken=\${current%"\${current##*["$breaks"]}"}
    for i in "\${!COMPREPLY[@]}"; do COMPREPLY[i]=\${COMPREPLY[i]#"$broken"}; done
  fi
}
complete -F _lat lat
`.replaceAll("\\$", "$"),
  zsh: String.raw`#compdef lat
# lat completion for zsh: lat completion zsh > a folder of $fpath/_lat
_lat() {
  local -a reply
  reply=("\${(@f)$("\${words[1]}" complete-words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  case $reply[1] in
    :files) _files ;;
    :folders) _files -/ ;;
    *) (( $#reply > 1 )) && compadd -- "\${(@)reply[2,-1]}" ;;
  esac
}
if [[ $funcstack[1] == _lat ]]; then _lat "$@"; else compdef _lat lat; fi
`.replaceAll("\\$", "$"),
  fish: String.raw`# lat completion for fish: lat completion fish > ~/.config/fish/completions/lat.fish
function __lat_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l reply ($words[1] complete-words -- $words[2..-1] 2>/dev/null)
    switch "$reply[1]"
        case :files
            __fish_complete_path (commandline -ct)
        case :folders
            __fish_complete_directories (commandline -ct)
        case '*'
            test (count $reply) -gt 1; and printf '%s\n' $reply[2..-1]
    end
end
complete -c lat -f -a '(__lat_complete)'
`
}

export const run: LocalRun = async (input) => {
  const shell = input.argument("SHELL")
  const script = Object.hasOwn(completionScripts, shell) ? completionScripts[shell] : undefined
  if (script === undefined) throw new UsageError(`'${shell}' is not a shell known here: bash, zsh or fish`)
  return { json: { shell, script }, text: script, quiet: script }
}
