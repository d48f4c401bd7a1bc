import type { Command } from '../command.ts'
import type { Flag } from '../flags.ts'
import { flagsOf } from './flags-of.ts'

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const
export type Shell = (typeof shells)[number]

const PROGRAM = 'bridge-inspector'

const longs = (flags: readonly Flag[]): string => flags.map(({ name }) => `--${name}`).join(' ')
/** What may follow a command or a flag, where that is a short list. */
const choicesOf = (command: Command): readonly string[] => command.args[0]?.choices ?? []
const quoted = (text: string): string => `'${text.replace(/'/g, `'\\''`)}'`

/** A script for this shell that completes the commands, their flags, and the values of flags that have a list of them. */
export function completion(shell: Shell, commands: readonly Command[]): string {
  return { bash, zsh, fish, powershell }[shell](commands)
}

function valued(commands: readonly Command[]): ReadonlyMap<string, readonly string[]> {
  const all = commands.flatMap((command) =>
    flagsOf(command).flatMap(({ name, choices }) => (choices ? [[name, choices] as const] : [])),
  )
  return new Map(all)
}

function bash(commands: readonly Command[]): string {
  const cases = commands.map(
    (command) => `    ${command.name}) words="${[longs(flagsOf(command)), ...choicesOf(command)].join(' ').trim()}" ;;`,
  )
  const values = [...valued(commands)].map(
    ([name, choices]) => `    --${name}) COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$here")); return ;;`,
  )
  return `# bash completion for ${PROGRAM}
_bridge_inspector() {
  local here="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="" words word
  case "$before" in
${values.join('\n')}
    --token-file|--data-dir|--output|-o) COMPREPLY=($(compgen -f -- "$here")); return ;;
  esac
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in
      ${commands.map(({ name }) => name).join('|')}) command="$word"; break ;;
    esac
  done
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
  const spec = ({ name, value, about, choices }: Flag): string => {
    const text = about.replace(/[[\]:]/g, (one) => `\\${one}`)
    const rest = value === undefined ? '' : `:${value}:${choices ? `(${choices.join(' ')})` : '_files'}`
    return quoted(`--${name}[${text}]${rest}`)
  }
  const cases = commands.map(
    (command) =>
      `    ${command.name}) _arguments ${[...flagsOf(command).map(spec), `'*:argument:(${choicesOf(command).join(' ')})'`].join(' ')} ;;`,
  )
  return `#compdef ${PROGRAM}
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
  const lines = commands.flatMap((command) => [
    `complete -c ${PROGRAM} -f -n __fish_use_subcommand -a ${command.name} -d ${quoted(command.summary)}`,
    ...choicesOf(command).map(
      (one) => `complete -c ${PROGRAM} -f -n '__fish_seen_subcommand_from ${command.name}' -a ${one}`,
    ),
    ...flagsOf(command).map(({ name, short, value, about, choices }) => {
      const parts = [`-l ${name}`, ...(short ? [`-s ${short}`] : [])]
      if (value !== undefined) parts.push(choices ? `-x -a ${quoted(choices.join(' '))}` : '-r')
      return `complete -c ${PROGRAM} -n '__fish_seen_subcommand_from ${command.name}' ${parts.join(' ')} -d ${quoted(about)}`
    }),
  ])
  return `# fish completion for ${PROGRAM}\n${lines.join('\n')}\n`
}

function powershell(commands: readonly Command[]): string {
  const list = (words: readonly string[]): string => words.map((one) => `'${one.replace(/'/g, "''")}'`).join(', ')
  const words = commands.map(
    (command) =>
      `    '${command.name}' = @(${list([...flagsOf(command).map(({ name }) => `--${name}`), ...choicesOf(command)])})`,
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
