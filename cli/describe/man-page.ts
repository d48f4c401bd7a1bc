import { type Command, describeFlag, formatFlag, formatUsage } from '../base/command.ts'
import { programExits } from '../../shared/program-exits.ts'
import { hostFlags, outputFlags } from '../base/flags.ts'

/** Characters that every roff knows by name; others only by their number. */
const named: Readonly<Record<string, string>> = { '’': '\\(cq', '“': '\\(lq', '”': '\\(rq', '…': '...' }
const special = (one: string): string =>
  named[one] ?? `\\[u${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`

/** Text for roff: a backslash is an escape, a dot or quote at the beginning of a line a request, and only ASCII stands for itself. */
const roff = (text: string): string =>
  text
    .replace(/\\/g, '\\e')
    .replace(/`/g, '')
    .replace(/-/g, '\\-')
    .replace(/^([.'])/gm, '\\&$1')
    .replace(/[^\x00-\x7f]/gu, special)

const flags = (list: Command['flags']): string[] =>
  list.flatMap((flag) => [
    '.TP',
    `.B ${roff(formatFlag(flag))}`,
    roff(describeFlag(flag)),
    ...Object.entries(flag.choiceDescriptions ?? {}).map(
      ([value, what]) => `.br\n.B ${roff(value)}\n\\- ${roff(what)}`,
    ),
  ])

const section = (command: Command): string[] => [
  `.SS ${roff(command.name)}`,
  `.B ${roff(formatUsage(command))}`,
  '.PP',
  `${roff(command.summary)}.`,
  ...command.description.flatMap((one) => ['.PP', roff(one)]),
  ...command.args.flatMap(({ name, description: about }) => ['.TP', `.I ${roff(name.toUpperCase())}`, roff(about)]),
  ...flags(command.flags),
  ...command.examples.flatMap(({ commandLine: line, description: about }) => [
    '.PP',
    `${roff(about)}:`,
    '.nf',
    `  bridge\\-inspector ${roff(line)}`,
    '.fi',
  ]),
]

/** The manual page (`man bridge-inspector`), from the commands. */
export function createManPage(commands: readonly Command[], version: string): string {
  return `${[
    `.TH BRIDGE\\-INSPECTOR 1 "" "Bridge Inspector ${roff(version)}" "User Commands"`,
    '.SH NAME',
    'bridge\\-inspector \\- see, debug and test what happens between a plugin and the local bridge of a note\\-taking host',
    '.SH SYNOPSIS',
    '.B bridge\\-inspector',
    '[\\fIcommand\\fR] [\\fIarguments\\fR] [\\fIflags\\fR]',
    '.SH DESCRIPTION',
    roff(
      'Flags may stand before or after the command. Commands that talk to a host need --profile, --base-url or --demo. Reads work beside a running app: they keep nothing and take no lock. Writes need --write, are shown and confirmed unless --yes is given, and are recorded in the journal; the read-only lock of a saved profile outranks both flags.',
    ),
    '.SH COMMANDS',
    ...commands.flatMap(section),
    '.SH FLAGS THAT CHOOSE A HOST',
    ...flags(hostFlags),
    '.SH FLAGS OF THE OUTPUT',
    ...flags(outputFlags),
    '.SH EXIT STATUS',
    ...Object.values(programExits).flatMap(({ code, about }) => ['.TP', `.B ${code}`, roff(about)]),
    '.SH ENVIRONMENT',
    '.TP',
    '.B BRIDGE_TOKEN',
    roff('The token, if no --token-file is given. It is removed from the environment of what the program starts.'),
    '.TP',
    '.B NO_COLOR',
    'No colors.',
  ].join('\n')}\n`
}
