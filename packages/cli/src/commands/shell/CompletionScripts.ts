/** They only hand the words over: what fits is settled in one place for all shells. */
export const completionScripts: Readonly<Record<string, string>> = {
  bash: String.raw`# lat completion for bash: source <(lat completion bash)
_lat() {
  local words cword reply also
  if declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref -n '=:@,' words cword
  else
    words=("\${COMP_WORDS[@]}"); cword=$COMP_CWORD
  fi
  local current=\${words[cword]}
  mapfile -t reply < <("\${words[0]}" complete-words -- "\${words[@]:1:cword}" 2>/dev/null)
  also=\${reply[0]}
  COMPREPLY=("\${reply[@]:1}")
  case $also in
    :files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    :folders) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
  esac
  # Readline breaks words at these characters: offer only what follows the last of them.
  local broken=\${current%"\${current##*[=:@]}"}
  if [[ -n $broken && $COMP_WORDBREAKS == *[=:@]* ]]; then
    local i
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
