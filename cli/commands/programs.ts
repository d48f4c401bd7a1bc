import { usage } from '../../electron/config.ts'
import { demoDialects, demoFaults, demoUsage } from '../../electron/demo-host/usage.ts'
import { z } from 'zod'
import { command, type Example } from '../base/command.ts'
import type { Flag } from '../base/flags.ts'

/** What the usage texts say in a form of their own: the values of these flags. */
const values: Readonly<Record<string, Pick<Flag, 'choices' | 'meanings' | 'about'>>> = {
  fault: { choices: Object.keys(demoFaults), meanings: demoFaults, about: 'misbehaves on purpose' },
  dialect: { choices: demoDialects, about: 'how it answers where the documents leave room (default 0.91)' },
  'demo-dialect': { choices: demoDialects, about: 'how it answers where the documents leave room (default 0.91)' },
}

/** The flags that a usage text lists, so that they are completed and documented from there. */
function flagsIn(text: string): readonly Flag[] {
  const lines = [...text.matchAll(/^ {2}--([a-z-]+)(?: ([A-Z|]+))? {2,}(.+)$/gm)]
  return lines.map(([, name = '', value, about = '']) => ({
    name,
    about,
    ...(value === undefined ? {} : { value }),
    ...values[name],
  }))
}

interface Program {
  readonly name: 'open' | 'serve' | 'demo-host'
  readonly summary: string
  readonly about: readonly string[]
  readonly text: string
  readonly examples: readonly Example[]
}

/** A way to run the program that has an entry point of its own, which understands the flags. */
const program = ({ text, ...spec }: Program) =>
  command({
    ...spec,
    args: [],
    flags: flagsIn(text).filter(({ name }) => name !== 'help'),
    options: z.unknown(),
    passes: true,
    run: ({ become }, args) => become(spec.name, args),
  })

/** The inspector itself, in a window or in the browser, and the demo host alone. */
export const programCommands = [
  program({
    name: 'open',
    summary: 'Open the inspector: its window where there is Electron, otherwise the browser (the default)',
    about: ['The same as npm start in a checkout.'],
    text: usage,
    examples: [{ line: '--demo', about: 'the demo library; open is what runs if no command is given' }],
  }),
  program({
    name: 'serve',
    summary: 'Run the browser host: prints an address that works once, and opens the browser',
    about: ['The same as npm run serve in a checkout.'],
    text: usage,
    examples: [{ line: 'serve --demo --no-open', about: 'on a machine without a browser' }],
  }),
  program({
    name: 'demo-host',
    summary: 'Run a simulated host on loopback, for plugin developers without a host at hand',
    about: ['The same as npm run demo-host in a checkout.'],
    text: demoUsage,
    examples: [
      { line: 'demo-host --port 42340 --nodes 5000', about: 'prints its address, and the file with its token' },
    ],
  }),
]
