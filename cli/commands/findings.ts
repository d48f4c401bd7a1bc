import { readRecordedFindings } from '../../electron/services/traffic/recorded/recorded-findings.ts'
import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import {
  artifactFlag,
  assertArtifact,
  chooseFormat,
  dataDirFlags,
  exchangeFlags,
  outputFileFlags,
  parseExchangeFilter,
  parseRun,
  sourceRootFlag,
  type CommandOptions,
  type Flag,
} from '../base/flags.ts'
import { assertOutputWritable, withOutput } from '../base/output-file.ts'
import { getDataDir } from '../base/session.ts'
import { describeFinding } from '../../electron/core/protocol/described-finding.ts'
import { DEFAULT_ARTIFACT, findingReporters } from '../output/finding-reports.ts'
import { PLAIN_STYLE, printFindings } from '../output/finding-text.ts'

const flags = [
  ...exchangeFlags,
  { name: 'fail', description: 'end with 11 if there are findings, or nothing was recorded; advice does not count' },
  { name: 'markdown', description: 'print a Markdown list' },
  { name: 'sarif', description: 'print a SARIF 2.1.0 log, for code scanning' },
  { name: 'junit', description: 'print a JUnit report, with a failed test for each finding' },
  { name: 'github', description: 'print commands with which GitHub Actions marks the lines' },
  sourceRootFlag,
  artifactFlag(`the file to name for a finding of which no line is known (default ${DEFAULT_ARTIFACT})`),
  ...outputFileFlags,
  ...dataDirFlags,
] as const satisfies readonly Flag[]
type FindingsOptions = CommandOptions<typeof flags>

async function run(
  { io, env, version }: CommandContext,
  _: readonly string[],
  { dataDir: chosenDir, origin, run: runText, filter, fail, ...format }: FindingsOptions,
): Promise<CommandExit> {
  const formatName = chooseFormat(['json', 'markdown', 'sarif', 'junit', 'github'], format)
  const { output, sourceRoot = null, artifact } = format
  assertArtifact(artifact, formatName === 'sarif' || formatName === 'github' || formatName === 'junit')
  assertOutputWritable(format)
  const dataDir = getDataDir(chosenDir, env)
  const { findings, advice, withdrawn, muted, exchanges } = await readRecordedFindings(dataDir, {
    origin,
    run: parseRun(runText),
    filter: parseExchangeFilter(filter),
  })
  const roots = { sourceRoot, panelFolder: null, workingDir: process.cwd() }
  await withOutput(io, { output }, async (print) => {
    if (formatName === 'json') {
      const value = {
        findings: findings.map(describeFinding),
        total: findings.length,
        advice: advice.map(describeFinding),
        withdrawn: withdrawn.map(describeFinding),
        muted,
        exchanges,
      }
      await print(`${JSON.stringify(value, null, 2)}\n`)
    } else if (formatName !== 'text')
      await print(findingReporters[formatName](findings, { version, roots, artifact: artifact ?? DEFAULT_ARTIFACT }))
    else if (output === undefined || output === '-') await printFindings(io, { findings, advice, withdrawn })
    else await printFindings({ ...PLAIN_STYLE, printText: print }, { findings, advice, withdrawn })
  })
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
  flags,
  examples: [
    { commandLine: 'findings --origin panel --run last --fail', description: 'in CI, after the tests of a panel' },
    { commandLine: 'findings --run last --sarif -o findings.sarif', description: 'for code scanning' },
    { commandLine: "findings --json | jq -r '.findings[].rule'", description: 'only the rules' },
  ],
  run,
})
