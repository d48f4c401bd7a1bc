import { programUsage } from '../../electron/config.ts'
import {
  demoDialectNames,
  demoDriftVersions,
  demoFaultDescriptions,
  demoUsage,
} from '../../electron/demo-host/usage.ts'
import { defineCommand, type CommandExample } from '../base/command.ts'
import type { Flag } from '../base/flags.ts'

/** Details that the usage texts do not have in a form that can be parsed. */
const flagDetails: Readonly<Record<string, Pick<Flag, 'choices' | 'choiceDescriptions' | 'description'>>> = {
  fault: {
    choices: Object.keys(demoFaultDescriptions),
    choiceDescriptions: demoFaultDescriptions,
    description: 'misbehaves on purpose',
  },
  'drift-version': {
    choices: demoDriftVersions,
    description: 'the version that it has with --fault drift (default the newest)',
  },
  dialect: { choices: demoDialectNames, description: 'how it answers where the documents leave room (default 0.91)' },
  'demo-dialect': {
    choices: demoDialectNames,
    description: 'how it answers where the documents leave room (default 0.91)',
  },
}

/** Reads the flags from a usage text, so that completion and documentation need no second list. */
function parseUsageFlags(text: string): readonly Flag[] {
  const matches = [...text.matchAll(/^ {2}--([a-z-]+)(?: ([A-Z|]+))? {2,}(\S.*)$/gm)]
  return matches.map(([, name = '', value, meaning = '']) => ({
    name,
    description: meaning,
    ...(value === undefined ? {} : { valueName: value }),
    ...flagDetails[name],
  }))
}

interface Program {
  readonly name: 'open' | 'serve' | 'demo-host'
  readonly summary: string
  readonly description: readonly string[]
  readonly usageText: string
  readonly args?: Parameters<typeof defineCommand>[0]['args']
  readonly examples: readonly CommandExample[]
}

/** Declares a program with its own entry point, which parses its flags itself. */
const defineProgram = ({ usageText, ...spec }: Program) =>
  defineCommand({
    args: [],
    ...spec,
    flags: parseUsageFlags(usageText).filter(({ name }) => name !== 'help'),
    isPassThrough: true,
    run: ({ runProgram }, args) => runProgram(spec.name, args),
  })

const recordingArgument = {
  name: 'file',
  required: false,
  description: 'a recording (.birec) or HTTP archive (.har) to show in place of a host',
}

/** Programs with their own entry points: the inspector (window or browser) and the demo host. */
export const programCommands = [
  defineProgram({
    name: 'open',
    summary: 'Open the inspector: its window where there is Electron, otherwise the browser (the default)',
    description: ['The same as npm start in a checkout.'],
    usageText: programUsage,
    args: [recordingArgument],
    examples: [{ commandLine: '--demo', description: 'the demo library; open is what runs if no command is given' }],
  }),
  defineProgram({
    name: 'serve',
    summary: 'Run the browser host: prints an address that works once, and opens the browser',
    description: ['The same as npm run serve in a checkout.'],
    usageText: programUsage,
    args: [recordingArgument],
    examples: [{ commandLine: 'serve --demo --no-open', description: 'on a machine without a browser' }],
  }),
  defineProgram({
    name: 'demo-host',
    summary: 'Run a simulated host on loopback, for plugin developers without a host at hand',
    description: ['The same as npm run demo-host in a checkout.'],
    usageText: demoUsage,
    examples: [
      {
        commandLine: 'demo-host --port 42340 --nodes 5000',
        description: 'prints its address, and the file with its token',
      },
    ],
  }),
]
