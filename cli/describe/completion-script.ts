import { type Command, getFlags } from '../base/command.ts'
import type { Flag } from '../base/flags.ts'

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const
export type Shell = (typeof shells)[number]

const PROGRAM = 'bridge-inspector'

const longs = (flags: readonly Flag[]): string => flags.map(({ name }) => `--${name}`).join(' ')
/** What may follow a command or a flag, where that is a short list. */
const choicesOf = (command: Command): readonly string[] => command.args[0]?.choices ?? []
const quoted = (text: string): string => `'${text.replace(/'/g, `'\\''`)}'`

/** A script for this shell that completes the commands, their flags, and the values of flags that have a list of them. */
export function createCompletionScript(shell: Shell, commands: readonly Command[]): string {
  return { bash, zsh, fish, powershell }[shell](commands)
}

function valued(commands: readonly Command[]): ReadonlyMap<string, readonly string[]> {
  const all = commands.flatMap((command) =>
    getFlags(command).flatMap(({ name, choices }) => (choices ? [[name, choices] as const] : [])),
  )
  return new Map(all)
}

/** Flags whose value stands in the next word, in every spelling, so that the words that are arguments can be counted. */
const takers = (commands: readonly Command[]): string[] => [
  ...new Set(
    commands
      .flatMap(getFlags)
      .filter(({ valueName: value }) => value !== undefined)
      .flatMap(({ name, short }) => [`--${name}`, ...(short ? [`-${short}`] : [])]),
  ),
]

/** Flags whose values the program itself knows, by kind. */
function dynamic(commands: readonly Command[]): ReadonlyMap<string, string> {
  const all = commands.flatMap((command) =>
    getFlags(command).flatMap(({ name, completionKind: completes }) => (completes ? [[name, completes] as const] : [])),
  )
  return new Map(all)
}

/** The arguments of a command whose values the program knows: position from 1 on, or `*` for every further one. */
const places = ({ args }: Command): (readonly [place: string, kind: string])[] =>
  args.flatMap(({ completionKind: completes, isRepeatable: many }, index) =>
    completes ? [[many ? '*' : String(index + 1), completes] as const] : [],
  )

function bash(commands: readonly Command[]): string {
  const cases = commands.map(
    (command) =>
      `    ${command.name}) words="${[longs(getFlags(command)), ...choicesOf(command)].join(' ').trim()}" ;;`,
  )
  const values = [
    ...[...valued(commands)].map(
      ([name, choices]) => `    --${name}) COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$here")); return ;;`,
    ),
    ...[...dynamic(commands)].map(([name, kind]) => `    --${name}) _bridge_inspector_values ${kind}; return ;;`),
  ]
  const args = commands.flatMap((command) =>
    places(command).map(([place, kind]) => `    ${command.name}:${place}) _bridge_inspector_values ${kind}; return ;;`),
  )
  return `# bash completion for ${PROGRAM}
# Values may hold spaces: each is one line, and is quoted unless a quote was typed before it.
_bridge_inspector_values() {
  local value typed="$here" quote=""
  case "$typed" in
    [\\'\\"]*) quote="\${typed:0:1}"; typed="\${typed:1}" ;;
    *) typed="\${typed//\\\\/}" ;;
  esac
  COMPREPLY=()
  while IFS= read -r value; do
    case "$value" in
      "$typed"*) if [ -n "$quote" ]; then COMPREPLY+=("$value"); else COMPREPLY+=("$(printf %q "$value")"); fi ;;
    esac
  done < <("\${COMP_WORDS[0]}" completion values "$1" 2>/dev/null)
}
_bridge_inspector() {
  local here="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="" words word taken="" place=1
  case "$before" in
${values.join('\n')}
    --token-file|--data-dir|--output|-o) COMPREPLY=($(compgen -f -- "$here")); return ;;
  esac
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [ -n "$taken" ]; then taken=""; continue; fi
    case "$word" in
      ${takers(commands).join('|')}) taken=1 ;;
      -*) ;;
      *) if [ -z "$command" ]; then command="$word"; else place=$((place + 1)); fi ;;
    esac
  done
  case "$here" in
    -*) ;;
    *) case "$command:$place" in
${args.join('\n')}
    esac ;;
  esac
  case "$command" in
${cases.join('\n')}
    *) words="${commands.map(({ name }) => name).join(' ')} --help --version" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$here"))
}
complete -F _bridge_inspector ${PROGRAM}
`
}

function zsh(commands: readonly Command[]): string {
  const names = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary.replace(/:/g, '\\:')}`)}`)
  // With a space before it, an action is called as it stands, without options of `compadd` among its arguments.
  const action = (completes: string | undefined, choices: readonly string[] | undefined, others: string): string =>
    completes ? ` _bridge_inspector_values ${completes}` : choices ? `(${choices.join(' ')})` : others
  const spec = ({ name, valueName: value, description: about, choices, completionKind: completes }: Flag): string => {
    const text = about.replace(/[[\]:]/g, (one) => `\\${one}`)
    const rest = value === undefined ? '' : `:${value.replace(/:/g, '\\:')}:${action(completes, choices, '_files')}`
    return quoted(`--${name}[${text}]${rest}`)
  }
  const cases = commands.map((command) => {
    const args = command.args.map(({ name, isRepeatable: many, choices, completionKind: completes }, index) =>
      quoted(`${many ? '*' : String(index + 2)}:${name}:${action(completes, choices, ' ')}`),
    )
    return `    ${command.name}) _arguments ${[...getFlags(command).map(spec), `'1:command: '`, ...args].join(' ')} ;;`
  })
  return `#compdef ${PROGRAM}
# Values may hold spaces: each is one line.
_bridge_inspector_values() {
  local -a values
  values=("\${(@f)$("\${words[1]}" completion values "$1" 2>/dev/null)}")
  compadd -a values
}
_bridge_inspector() {
  local -a commands
  commands=(
${names.join('\n')}
  )
  local command word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$word" in
      ${commands.map(({ name }) => name).join('|')}) command="$word"; break ;;
    esac
  done
  if [[ -z "$command" ]]; then
    _describe command commands
    return
  fi
  case "$command" in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = "_bridge_inspector" ]; then _bridge_inspector "$@"; else compdef _bridge_inspector ${PROGRAM}; fi
`
}

function fish(commands: readonly Command[]): string {
  const asked = (kind: string): string => quoted(`(${PROGRAM} completion values ${kind} 2>/dev/null)`)
  const lines = commands.flatMap((command) => [
    `complete -c ${PROGRAM} -f -n __fish_use_subcommand -a ${command.name} -d ${quoted(command.summary)}`,
    ...choicesOf(command).map(
      (one) => `complete -c ${PROGRAM} -f -n '__bridge_inspector_at ${command.name} 1' -a ${one}`,
    ),
    ...places(command).map(
      ([place, kind]) =>
        `complete -c ${PROGRAM} -f -n '__bridge_inspector_at ${command.name} ${place === '*' ? 'any' : place}' -a ${asked(kind)}`,
    ),
    ...getFlags(command).map(
      ({ name, short, valueName: value, description: about, choices, completionKind: completes }) => {
        const parts = [`-l ${name}`, ...(short ? [`-s ${short}`] : [])]
        if (value !== undefined) {
          const offered = completes ? asked(completes) : choices ? quoted(choices.join(' ')) : null
          parts.push(offered === null ? '-r' : `-x -a ${offered}`)
        }
        return `complete -c ${PROGRAM} -n '__fish_seen_subcommand_from ${command.name}' ${parts.join(' ')} -d ${quoted(about)}`
      },
    ),
  ])
  return `# fish completion for ${PROGRAM}
# Whether the word that is typed is this argument of this command: flags and their values do not count; "any" is every one.
function __bridge_inspector_at
  set -l words (commandline -opc)
  set -l rest
  set -l taken 0
  for word in $words[2..-1]
    if test $taken -eq 1
      set taken 0
    else if contains -- $word ${takers(commands).join(' ')}
      set taken 1
    else if not string match -q -- '-*' $word
      set -a rest $word
    end
  end
  test "$rest[1]" = $argv[1]; and begin
    test "$argv[2]" = any; or test (count $rest) -eq $argv[2]
  end
end
${lines.join('\n')}
`
}

function powershell(commands: readonly Command[]): string {
  const list = (words: readonly string[]): string => words.map((one) => `'${one.replace(/'/g, "''")}'`).join(', ')
  const words = commands.map(
    (command) =>
      `    '${command.name}' = @(${list([...getFlags(command).map(({ name }) => `--${name}`), ...choicesOf(command)])})`,
  )
  const values = [...valued(commands)].map(([name, choices]) => `    '--${name}' = @(${list(choices)})`)
  return `# PowerShell completion for ${PROGRAM}
Register-ArgumentCompleter -Native -CommandName ${PROGRAM} -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @{
${words.join('\n')}
  }
  $values = @{
${values.join('\n')}
  }
  $typed = @($commandAst.CommandElements | ForEach-Object { $_.ToString() })
  $before = if ($wordToComplete -eq '') { $typed[-1] } else { $typed[-2] }
  $command = $typed | Where-Object { $words.ContainsKey($_) } | Select-Object -First 1
  $found = if ($values.ContainsKey("$before")) { $values["$before"] } elseif ($command) { $words[$command] } else { $words.Keys }
  $found | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`
}
