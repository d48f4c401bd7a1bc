import { type Command, getFlags } from '../base/command.ts'
import type { Flag } from '../base/flags.ts'

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const
type Shell = (typeof shells)[number]

const PROGRAM = 'bridge-inspector'

const listLongFlags = (flags: readonly Flag[]): string => flags.map(({ name }) => `--${name}`).join(' ')
/** Returns the fixed values of the first argument; empty if there are none. */
const choicesOf = (command: Command): readonly string[] => command.args[0]?.choices ?? []
const quoteForShell = (text: string): string => `'${text.replace(/'/g, `'\\''`)}'`

export function createCompletionScript(shell: Shell, commands: readonly Command[]): string {
  return { bash: createBashScript, zsh: createZshScript, fish: createFishScript, powershell: createPowerShellScript }[
    shell
  ](commands)
}

function getChoicesByFlag(commands: readonly Command[]): ReadonlyMap<string, readonly string[]> {
  const entries = commands.flatMap((command) =>
    getFlags(command).flatMap(({ name, choices }) => (choices ? [[name, choices] as const] : [])),
  )
  return new Map(entries)
}

/** Includes every spelling of the flags, so that scripts can count the arguments. */
const listValueFlags = (commands: readonly Command[]): string[] => [
  ...new Set(
    commands
      .flatMap(getFlags)
      .filter(({ valueName }) => valueName !== undefined)
      .flatMap(({ name, short }) => [`--${name}`, ...(short ? [`-${short}`] : [])]),
  ),
]

function getKindsByFlag(commands: readonly Command[]): ReadonlyMap<string, string> {
  const entries = commands.flatMap((command) =>
    getFlags(command).flatMap(({ name, completionKind }) => (completionKind ? [[name, completionKind] as const] : [])),
  )
  return new Map(entries)
}

/** Arguments whose values the program lists, counted from 1; `*` stands for a repeatable one. */
const listDynamicArguments = ({ args }: Command): (readonly [place: string, kind: string])[] =>
  args.flatMap(({ completionKind, isRepeatable }, index) =>
    completionKind ? [[isRepeatable ? '*' : String(index + 1), completionKind] as const] : [],
  )

function createBashScript(commands: readonly Command[]): string {
  const cases = commands.map(
    (command) =>
      `    ${command.name}) words="${[listLongFlags(getFlags(command)), ...choicesOf(command)].join(' ').trim()}" ;;`,
  )
  const values = [
    ...[...getChoicesByFlag(commands)].map(
      ([name, choices]) => `    --${name}) COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$here")); return ;;`,
    ),
    ...[...getKindsByFlag(commands)].map(
      ([name, kind]) => `    --${name}) _bridge_inspector_values ${kind}; return ;;`,
    ),
  ]
  const args = commands.flatMap((command) =>
    listDynamicArguments(command).map(
      ([place, kind]) => `    ${command.name}:${place}) _bridge_inspector_values ${kind}; return ;;`,
    ),
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
      ${listValueFlags(commands).join('|')}) taken=1 ;;
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

function createZshScript(commands: readonly Command[]): string {
  const names = commands.map(({ name, summary }) => `    ${quoteForShell(`${name}:${summary.replace(/:/g, '\\:')}`)}`)
  // The space before the function name keeps zsh from adding options of `compadd` to its arguments.
  const formatAction = (
    completes: string | undefined,
    choices: readonly string[] | undefined,
    fallback: string,
  ): string => (completes ? ` _bridge_inspector_values ${completes}` : choices ? `(${choices.join(' ')})` : fallback)
  const formatSpec = ({ name, valueName, description, choices, completionKind }: Flag): string => {
    const text = description.replace(/[[\]:]/g, (character) => `\\${character}`)
    const valueSpec =
      valueName === undefined
        ? ''
        : `:${valueName.replace(/:/g, '\\:')}:${formatAction(completionKind, choices, '_files')}`
    return quoteForShell(`--${name}[${text}]${valueSpec}`)
  }
  const cases = commands.map((command) => {
    const args = command.args.map(({ name, isRepeatable, choices, completionKind }, index) =>
      quoteForShell(`${isRepeatable ? '*' : String(index + 2)}:${name}:${formatAction(completionKind, choices, ' ')}`),
    )
    return `    ${command.name}) _arguments ${[...getFlags(command).map(formatSpec), `'1:command: '`, ...args].join(' ')} ;;`
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

function createFishScript(commands: readonly Command[]): string {
  const formatValuesCall = (kind: string): string => quoteForShell(`(${PROGRAM} completion values ${kind} 2>/dev/null)`)
  const lines = commands.flatMap((command) => [
    `complete -c ${PROGRAM} -f -n __fish_use_subcommand -a ${command.name} -d ${quoteForShell(command.summary)}`,
    ...choicesOf(command).map(
      (choice) => `complete -c ${PROGRAM} -f -n '__bridge_inspector_at ${command.name} 1' -a ${choice}`,
    ),
    ...listDynamicArguments(command).map(
      ([place, kind]) =>
        `complete -c ${PROGRAM} -f -n '__bridge_inspector_at ${command.name} ${place === '*' ? 'any' : place}' -a ${formatValuesCall(kind)}`,
    ),
    ...getFlags(command).map(({ name, short, valueName, description, choices, completionKind }) => {
      const parts = [`-l ${name}`, ...(short ? [`-s ${short}`] : [])]
      if (valueName !== undefined) {
        const offeredValues = completionKind
          ? formatValuesCall(completionKind)
          : choices
            ? quoteForShell(choices.join(' '))
            : null
        parts.push(offeredValues === null ? '-r' : `-x -a ${offeredValues}`)
      }
      return `complete -c ${PROGRAM} -n '__fish_seen_subcommand_from ${command.name}' ${parts.join(' ')} -d ${quoteForShell(description)}`
    }),
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
    else if contains -- $word ${listValueFlags(commands).join(' ')}
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

function createPowerShellScript(commands: readonly Command[]): string {
  const formatList = (words: readonly string[]): string =>
    words.map((word) => `'${word.replace(/'/g, "''")}'`).join(', ')
  const words = commands.map(
    (command) =>
      `    '${command.name}' = @(${formatList([...getFlags(command).map(({ name }) => `--${name}`), ...choicesOf(command)])})`,
  )
  const values = [...getChoicesByFlag(commands)].map(([name, choices]) => `    '--${name}' = @(${formatList(choices)})`)
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
