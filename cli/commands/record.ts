import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { removeTokens } from '../../electron/config.ts'
import { RECORDING_EXTENSION, type RedactionPolicy } from '../../shared/recordings/recording.ts'
import { locateFindings, type Finding, type FindingClass, type FindingGroup } from '../../shared/protocol/finding.ts'
import { groupByClass } from '../../shared/protocol/rule-table.ts'
import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import {
  createUsageError,
  redactionFlags,
  sarifFileFlag,
  toRedactionPolicy,
  type CommandOptions,
  type Flag,
} from '../base/flags.ts'
import { assertOutputWritable, withOutput } from '../base/output-file.ts'
import { getConnectedProfile, type ConnectedSession } from '../base/session.ts'
import { toProcessCommand } from '../base/windows-command.ts'
import { DEFAULT_ARTIFACT, saveSarif } from '../output/finding-reports.ts'
import { createArchive, findRecordedSeqs } from '../output/http-archive.ts'
import { createNoteWriter, printFindings } from '../output/finding-text.ts'
import { assertPageWritable, pageFlag, savePage } from '../output/recording-page.ts'
import { unlockProfile } from '../writes/write.ts'

const flags = [
  {
    name: 'output',
    short: 'o',
    valueName: 'FILE',
    description: 'the recording or archive, or a folder for an archive',
  },
  pageFlag,
  ...redactionFlags,
  { name: 'force', description: 'replace files that exist' },
  { name: 'write', description: 'pass writes on, too' },
  sarifFileFlag,
  {
    name: 'fail',
    description: 'end with 11 if there are findings and the program ended with 0; advice does not count',
  },
] as const satisfies readonly Flag[]
type RecordOptions = CommandOptions<typeof flags>

/** The exit codes of a shell for a program that is not there, or cannot be started. */
const NOT_FOUND_CODE = 127
const NOT_STARTED_CODE = 126
/** From here on, exit codes say which signal ended the program. */
const FIRST_SIGNAL_CODE = 129

async function run(
  context: CommandContext,
  [program = '', ...args]: readonly string[],
  { output, page, force, sarif, write = false, fail, json, texts, ids, pictures, ...host }: RecordOptions,
): Promise<CommandExit> {
  const { io, env, version } = context
  if (output === undefined || output === '-')
    throw createUsageError('record needs -o with a file or a folder, because the command prints to standard output.')
  const files = toOutputFiles(output)
  for (const file of Object.values(files)) assertOutputWritable({ output: file, force })
  assertOutputWritable({ output: sarif, force, flag: '--sarif' })
  await assertPageWritable(context, page, force)
  const isRecording = files.archive.toLowerCase().endsWith(RECORDING_EXTENSION)
  const redaction = toRedactionPolicy({ texts, ids, pictures })
  if (!isRecording && (page ?? texts ?? ids ?? pictures) !== undefined)
    throw createUsageError(
      `--page, --texts, --ids and --pictures need -o with a file that ends in ${RECORDING_EXTENSION}.`,
    )
  const session = await context.openSession({
    host,
    isJournaled: write,
    keepsTraffic: true,
    timeLimit: 'none' as const,
    savePath: files.archive,
  })
  if (write) await unlockProfile(session)
  // Without a journal nothing may be written, even if the profile allows it.
  else await lockProfile(session)
  const { baseUrl, key } = await session.call('clientProxy.start', { label: path.basename(program) })
  const code = await runClient(context, program, args, {
    ...removeTokens(env),
    BRIDGE_BASE_URL: baseUrl ?? undefined,
    BRIDGE_TOKEN: key ?? undefined,
  })
  await session.app.endCallers({ kind: 'recorded' }, { isByItself: code < FIRST_SIGNAL_CODE, graceMs: 0 })
  const { passed, refused } = await session.call('clientProxy.stop', {})
  const { text, seqs } = isRecording
    ? { text: null, seqs: await findRecordedSeqs(session) }
    : await createArchive(session, context.version)
  const entries = seqs.length
  if (text !== null) await withOutput(io, { output: files.archive }, (print) => print(text))
  else if (entries > 0) await saveRecording(session, files.archive, redaction)
  const { findings, advice } = await listFindings(session, seqs)
  if (files.findings !== undefined)
    await withOutput(io, { output: files.findings }, (print) =>
      print(`${JSON.stringify({ findings, advice }, null, 2)}\n`),
    )
  if (sarif !== undefined) {
    const roots = { sourceRoot: null, panelFolder: null, workingDir: process.cwd() }
    // No page made these requests, so that no line is known.
    await saveSarif(io, sarif, locateFindings(findings, []), { version, roots, artifact: DEFAULT_ARTIFACT })
  }
  if (entries < passed)
    io.printStderr(`RECORD_INCOMPLETE: ${passed - entries} of ${passed} requests were not kept: there was no room.`)
  if (json) await io.print(`${JSON.stringify({ file: files.archive, entries, refused, findings, advice, code })}\n`)
  if (isRecording && entries === 0) io.printStderr('RECORD_EMPTY: The program sent no request, so no file was written.')
  else io.printNote(`Recorded ${entries} requests in ${files.archive}, with ${findings.length} findings.`)
  if (refused > 0) io.printNote(`Refused: ${refused} requests${write ? '' : '; writes need --write'}.`)
  // The standard output belongs to the program.
  if (!json) await printFindings(createNoteWriter(io), { findings, advice })
  if (page !== undefined && entries > 0) await savePage(context, files.archive, page)
  return fail && code === 0 && findings.length > 0 ? 'unmet' : code
}

async function saveRecording({ call }: ConnectedSession, file: string, redaction: RedactionPolicy): Promise<void> {
  const name = path.basename(file, path.extname(file))
  await call('recordings.save', { selection: { kind: 'command' }, redaction, jobId: 'record', name, steps: '' })
}

/** Locks the profile in this session's own copy of the data directory. */
async function lockProfile(session: ConnectedSession): Promise<void> {
  const { profile } = await getConnectedProfile(session)
  if (!profile.readOnly) await session.call('operations.unlock', { profileId: profile.id, scope: 'lock' })
}

/** A folder gets the archive and the findings. */
function toOutputFiles(output: string): { readonly archive: string; readonly findings?: string } {
  const isFolder = /[/\\]$/.test(output) || statSync(output, { throwIfNoEntry: false })?.isDirectory() === true
  if (!isFolder) return { archive: output }
  return { archive: path.join(output, 'traffic.har'), findings: path.join(output, 'findings.json') }
}

/** The data directory may also hold findings of earlier runs, which are left out. */
async function listFindings(
  { call }: ConnectedSession,
  seqs: readonly number[],
): Promise<Record<FindingClass, FindingGroup[]>> {
  const findings: Finding[] = []
  for (const seq of seqs) {
    const related = await call('findings.of', { seq })
    // The last exchange of a finding is the one that shows the mistake.
    findings.push(...related.findings.filter(({ exchanges }) => exchanges.at(-1) === seq))
  }
  return groupByClass(findings.sort((first, second) => first.at - second.at))
}

/** The client gets the signals of this terminal; its requests are saved afterwards. */
async function runClient(
  { io, streams, waitForSignal }: CommandContext,
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const command = toProcessCommand(program, args, env)
  const child = spawn(command.file, command.args, {
    stdio: 'inherit',
    env,
    windowsVerbatimArguments: command.isVerbatim,
  })
  const ended = new AbortController()

  async function forwardSignals(): Promise<void> {
    while (!ended.signal.aborted) {
      const name = await waitForSignal(ended.signal)
      if (ended.signal.aborted) return
      // A terminal sends Ctrl+C to the client as well.
      if (name !== 'SIGINT' || streams.stdin.isTTY !== true) child.kill(name ?? 'SIGTERM')
      if (name === null) return
    }
  }

  const exit = new Promise<number>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === 'ENOENT'
      io.printStderr(`COMMAND_FAILED: ${isMissing ? 'There is no such program' : error.message}: ${program}`)
      resolve(isMissing ? NOT_FOUND_CODE : NOT_STARTED_CODE)
    })
    child.once('exit', (code, signal) => resolve(signal ? 128 + os.constants.signals[signal] : (code ?? 1)))
  })
  void forwardSignals()
  const code = await exit
  ended.abort()
  return code
}

export const recordCommand = defineCommand({
  name: 'record',
  summary: 'Run a program, and save its requests to the host as a recording or an HTTP archive',
  description: [
    'The program finds the address in BRIDGE_BASE_URL and a key in BRIDGE_TOKEN, which opens only this recording; what it sends is passed on to the host. Ends with the exit code of the program. What the program still owes when it ends is decided then. Into a folder, which must exist, go traffic.har and findings.json.',
    'A file that ends in .birec becomes a recording with everything that belongs to the requests, redacted as the flags say; any other one an HTTP archive as it is. With --page the recording is also written as a page, for those who have nothing but a browser.',
    'Writes of the program are refused unless --write is given; a profile’s read-only lock outranks it. With --write they are also recorded in the journal of the data directory.',
  ],
  args: [
    { name: 'program', required: true, description: 'the program and its arguments, after --' },
    { name: 'arguments', required: false, isRepeatable: true, description: 'arguments of the program' },
  ],
  flags,
  examples: [
    {
      commandLine:
        'record -o session.har --demo -- sh -c \'curl -H "Authorization: Bearer $BRIDGE_TOKEN" $BRIDGE_BASE_URL/status\'',
      description: 'one request, with a demo host',
    },
  ],
  hasHostFlags: true,
  run,
})
