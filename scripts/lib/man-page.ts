import { type Command, describeFlag, formatFlag, formatUsage } from '../../cli/base/command.ts'
import { programExits } from '../../electron/system/program-exits.ts'
import { hostFlags, outputFlags } from '../../cli/base/flags.ts'

/** Named escapes that every roff has; other characters are escaped by code point. */
const namedEscapes: Readonly<Record<string, string>> = { '’': '\\(cq', '“': '\\(lq', '”': '\\(rq', '…': '...' }
const escapeCharacter = (character: string): string =>
  namedEscapes[character] ?? `\\[u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`

/** Escapes backslashes, a dot or quote at the start of a line, and all characters outside ASCII. */
const toRoff = (text: string): string =>
  text
    .replace(/\\/g, '\\e')
    .replace(/`/g, '')
    .replace(/-/g, '\\-')
    .replace(/^([.'])/gm, '\\&$1')
    .replace(/[^\x00-\x7f]/gu, escapeCharacter)

const formatFlags = (list: Command['flags']): string[] =>
  list.flatMap((flag) => [
    '.TP',
    `.B ${toRoff(formatFlag(flag))}`,
    toRoff(describeFlag(flag)),
    ...Object.entries(flag.choiceDescriptions ?? {}).map(
      ([value, meaning]) => `.br\n.B ${toRoff(value)}\n\\- ${toRoff(meaning)}`,
    ),
  ])

const formatSection = (command: Command): string[] => [
  `.SS ${toRoff(command.name)}`,
  `.B ${toRoff(formatUsage(command))}`,
  '.PP',
  `${toRoff(command.summary)}.`,
  ...command.description.flatMap((paragraph) => ['.PP', toRoff(paragraph)]),
  ...command.args.flatMap(({ name, description }) => ['.TP', `.I ${toRoff(name.toUpperCase())}`, toRoff(description)]),
  ...formatFlags(command.flags),
  ...command.examples.flatMap(({ commandLine, description }) => [
    '.PP',
    `${toRoff(description)}:`,
    '.nf',
    `  bridge\\-inspector ${toRoff(commandLine)}`,
    '.fi',
  ]),
]

/** Creates the manual page in roff, as `man` reads it. */
export function createManPage(commands: readonly Command[], version: string): string {
  return `${[
    `.TH BRIDGE\\-INSPECTOR 1 "" "Bridge Inspector ${toRoff(version)}" "User Commands"`,
    '.SH NAME',
    'bridge\\-inspector \\- see, debug and test what happens between a plugin and the local bridge of a note\\-taking host',
    '.SH SYNOPSIS',
    '.B bridge\\-inspector',
    '[\\fIcommand\\fR] [\\fIarguments\\fR] [\\fIflags\\fR]',
    '.SH DESCRIPTION',
    toRoff(
      'Flags may stand before or after the command. Commands that talk to a host need --profile, --base-url or --demo. Reads work beside a running app: they keep nothing and take no lock. Writes need --write, are shown and confirmed unless --yes is given, and are recorded in the journal; the read-only lock of a saved profile outranks both flags.',
    ),
    '.SH COMMANDS',
    ...commands.flatMap(formatSection),
    '.SH FLAGS THAT CHOOSE A HOST',
    ...formatFlags(hostFlags),
    '.SH FLAGS OF THE OUTPUT',
    ...formatFlags(outputFlags),
    '.SH EXIT STATUS',
    ...Object.values(programExits).flatMap(({ code, description }) => ['.TP', `.B ${code}`, toRoff(description)]),
    '.SH ENVIRONMENT',
    '.TP',
    '.B BRIDGE_TOKEN',
    toRoff('The token, if no --token-file is given. It is removed from the environment of what the program starts.'),
    '.TP',
    '.B NO_COLOR',
    'No colors.',
  ].join('\n')}\n`
}
