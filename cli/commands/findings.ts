import { z } from 'zod'
import { readRecordedFindings } from '../../electron/services/traffic/disk/recorded-findings.ts'
import { originKinds } from '../../shared/traffic/exchange.ts'
import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import { createUsageError, hostFlags } from '../base/flags.ts'
import { getDataDir } from '../base/session.ts'
import { printFindings } from '../output/finding-text.ts'

const options = z.object({
  dataDir: z.string().optional(),
  origin: z.string().optional(),
  run: z.string().optional(),
  fail: z.boolean().optional(),
  json: z.boolean().optional(),
})

async function run(
  { io, env }: CommandContext,
  _: readonly string[],
  { dataDir: chosenDir, origin, run: runText, fail, json }: z.infer<typeof options>,
): Promise<CommandExit> {
  if (runText !== undefined && runText !== 'last' && !/^[1-9]\d{0,8}$/.test(runText))
    throw createUsageError('--run takes the number of a run, or last.')
  const dataDir = getDataDir(chosenDir, env)
  const { findings, advice, withdrawn, muted, exchanges } = await readRecordedFindings(dataDir, {
    origin,
    run: runText === undefined || runText === 'last' ? runText : Number(runText),
  })
  if (json) {
    const value = { findings, total: findings.length, advice, withdrawn, muted, exchanges }
    await io.print(`${JSON.stringify(value, null, 2)}\n`)
  } else await printFindings(io, { findings, advice, withdrawn })
  // Nothing was checked then, which must not look like a success.
  if (exchanges === 0) io.printStderr(`NOTHING_RECORDED: Of this, no exchange is recorded in ${dataDir}.`)
  else if (findings.length === 0) io.printNote(`No findings in ${exchanges} exchanges.`)
  if (muted.length > 0) io.printNote(`Muted, and not listed: ${muted.map(({ rule }) => rule).join(', ')}.`)
  return fail && (findings.length > 0 || exchanges === 0) ? 'unmet' : 'ok'
}

export const findingsCommand = defineCommand({
  name: 'findings',
  summary: 'What panels and clients did against the contract, as it was recorded',
  description: [
    'Reads the traffic that the app, or a command that writes, recorded in the data directory; the app may be running. One entry for each rule and resource, the newest first; muted rules are left out. Advice is about what the contract leaves open; it is listed by itself, as is what was withdrawn because it followed after all.',
  ],
  args: [],
  flags: [
    {
      name: 'origin',
      valueName: 'ORIGIN',
      description: `only of these callers: a kind (${originKinds.join(', ')}), or the name of a panel or client`,
    },
    { name: 'run', valueName: 'RUN', description: 'only of this run of the program: its number, or last' },
    { name: 'fail', description: 'end with 11 if there are findings, or nothing was recorded; advice does not count' },
    ...hostFlags.filter(({ name }) => name === 'data-dir'),
  ],
  examples: [
    { commandLine: 'findings --origin panel --run last --fail', description: 'in CI, after the tests of a panel' },
    { commandLine: "findings --json | jq -r '.findings[].rule'", description: 'only the rules' },
  ],
  options,
  run,
})
