import path from 'node:path'
import { startDirectPanelListener } from '../../electron/browser-host/panel-listener.ts'
import { panelStateSchema, type PanelSource, type PendingPanelWrite } from '../../shared/panel/panel.ts'
import { PAGE_EXTENSION, type RedactionPolicy } from '../../shared/recordings/recording.ts'
import type { TrafficFilter } from '../../shared/traffic/traffic-filter.ts'
import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import {
  createUsageError,
  redactionFlags,
  sarifFileFlag,
  sourceRootFlag,
  toRedactionPolicy,
  type CommandOptions,
  type Flag,
} from '../base/flags.ts'
import type { ConnectedSession } from '../base/session.ts'
import { assertOutputWritable } from '../base/output-file.ts'
import { describeFinding } from '../../electron/core/protocol/described-finding.ts'
import { DEFAULT_ARTIFACT, saveSarif } from '../output/finding-reports.ts'
import { printFindings } from '../output/finding-text.ts'
import { assertPageWritable, notePage, pageFlag } from '../output/recording-page.ts'
import { confirmWrite, unlockProfile } from '../writes/write.ts'

const writeModes = { allow: 'let-through', ask: 'ask', refuse: 'refuse' } as const
const flags = [
  {
    name: 'writes',
    valueName: 'MODE',
    choices: ['allow', 'ask', 'refuse'],
    description: 'what happens to writes of the page (default refuse); ask needs a terminal',
  },
  {
    name: 'plugin',
    valueName: 'ID',
    description: 'the plugin whose panel it is; default: the first of the template',
  },
  { name: 'fail', description: 'end with 11 if there are findings; advice does not count' },
  sarifFileFlag,
  sourceRootFlag,
  pageFlag,
  ...redactionFlags,
  { name: 'force', description: 'replace files that exist' },
] as const satisfies readonly Flag[]
type PanelOptions = CommandOptions<typeof flags>

async function run(
  context: CommandContext,
  [panel = '']: readonly string[],
  { writes = 'refuse', plugin, fail, json, sarif, sourceRoot, page, force, ...options }: PanelOptions,
): Promise<CommandExit> {
  const { io, version } = context
  const { texts, ids, pictures, ...host } = options
  assertOutputWritable({ output: sarif, force, flag: '--sarif' })
  await assertPageWritable(context, page, force)
  if (page === undefined && (texts ?? ids ?? pictures) !== undefined)
    throw createUsageError('--texts, --ids and --pictures need --page.')
  const mayWrite = writes !== 'refuse'
  const session = await context.openSession({
    host,
    isJournaled: mayWrite,
    keepsTraffic: true,
    timeLimit: 'none',
    ...(page === undefined ? {} : { savePath: path.resolve(page) }),
  })
  const { call, app } = session
  if (mayWrite) await unlockProfile(session)
  const listener = await startDirectPanelListener(app.panel)
  try {
    await call('panel.open', { source: toPanelSource(panel) })
    await app.panel.waitForRules()
    const pluginId = plugin === undefined ? {} : { pluginId: plugin }
    const { url, caller } = await call('panel.configure', { writes: writeModes[writes], ...pluginId })
    const stopDeciding = decideWrites(context, session)
    await io.print(`Panel: ${url ?? ''}\n`)
    await context.waitForSignal()
    stopDeciding()
    if (context.signal.aborted) return 'ok'
    const scope = { kind: 'panel', ...(caller === null ? {} : { caller }) } as const
    await app.endCallers(scope)
    await app.panel.settleInitiators()
    const { exchanges } = await call('traffic.info', {})
    const { findings, total, muted } = await call('findings.list', { offset: 0, limit: 1_000, scope })
    const { findings: advice } = await call('findings.list', { offset: 0, limit: 1_000, scope, class: 'advice' })
    if (sarif !== undefined) {
      const panelFolder = toPanelSource(panel).kind === 'folder' ? path.resolve(panel) : null
      const roots = { sourceRoot: sourceRoot ?? null, panelFolder, workingDir: process.cwd() }
      await saveSarif(io, sarif, findings, { version, roots, artifact: DEFAULT_ARTIFACT })
    }
    if (json) {
      const described = { findings: findings.map(describeFinding), total, advice: advice.map(describeFinding), muted }
      await io.print(`${JSON.stringify(described)}\n`)
    }
    if (!json) await printFindings(io, { findings, advice })
    if (total === 0) io.printNote(`No findings in ${exchanges} exchanges.`)
    if (page !== undefined) {
      const bytes = await savePage(session, page, toRedactionPolicy(options))
      if (bytes !== null) notePage(context, page, bytes)
      else io.printStderr('PAGE_EMPTY: The panel sent no request, so no page was written.')
    }
    return fail && total > 0 ? 'unmet' : 'ok'
  } finally {
    await listener.close()
  }
}

/** Returns the size of the page; null, and saves nothing, if the panel sent no request. */
async function savePage({ call }: ConnectedSession, page: string, redaction: RedactionPolicy): Promise<number | null> {
  const filter: TrafficFilter = { origins: ['panel'], thisRun: true }
  const { bytes } = await call('traffic.find', { filter, sort: { by: 'time', descending: false } })
  if (bytes.byteLength === 0) return null
  const { entry } = await call('recordings.save', {
    selection: { kind: 'filter', filter },
    redaction,
    jobId: 'panel',
    name: path.basename(page, PAGE_EXTENSION),
    steps: '',
    format: 'page',
  })
  return entry && entry.bytes
}

const toPanelSource = (text: string): PanelSource =>
  /^https?:\/\//.test(text) ? { kind: 'server', url: text } : { kind: 'folder', path: path.resolve(text) }

/** Asks for a decision on each waiting write, one by one. Returns a function that stops this. */
function decideWrites({ io, signal }: CommandContext, { app, call }: ConnectedSession): () => void {
  let isDeciding = false

  async function decideAll([first]: readonly PendingPanelWrite[]): Promise<void> {
    if (isDeciding) return
    isDeciding = true
    for (let ask = first; ask && !signal.aborted; [ask] = (await call('panel.get', {})).asks) {
      const { id, prepared } = ask
      const refusal = await confirmWrite(io, prepared, {}, signal).catch((error: unknown) => error as Error)
      if (refusal) io.printStderr(`Refused: ${prepared.method} ${prepared.path}`)
      // The page may have given up the call in the meantime.
      await call('panel.decide', { id, send: !refusal, unasked: !io.canAsk }).catch(() => undefined)
    }
    isDeciding = false
  }

  return app.dispatcher.subscribe(({ topic, payload }) => {
    if (topic === 'panel.changed') void decideAll(panelStateSchema.parse(payload).asks).catch(() => undefined)
  })
}

export const panelCommand = defineCommand({
  name: 'panel',
  summary: 'Serve a plugin’s panel to any browser, as a host would, without a window',
  description: [
    'Prints the address of the page, and runs until Ctrl+C; then it prints what the panel did against the contract, and advice by itself. What the page still owes by then, it may do within 3 s. The page has host.api and the host’s allow list, and never the token. Only this user can open the address. With --page what it did is written as a page then, redacted as the flags say.',
    'With --writes refuse nothing is recorded, and it works beside a running app; otherwise writes go through the journal of the data directory.',
  ],
  args: [
    { name: 'panel', required: true, description: 'a folder with an index.html, or the URL of a development server' },
  ],
  flags,
  examples: [
    { commandLine: 'panel ./panel --demo', description: 'the panel of a plugin, with a demo host' },
    {
      commandLine: 'panel ./panel --writes ask --profile work',
      description: 'with a host of your own; each write is asked for',
    },
  ],
  hasHostFlags: true,
  run,
})
