import { AppError } from '../../shared/errors.ts'
import {
  panelStateSchema,
  type PendingPanelWrite,
  type PanelCallChange,
  type PanelCall,
} from '../../shared/panel/panel.ts'
import type { IpcInput, IpcOutput } from '../../shared/ipc/index.ts'
import { verdictTexts } from '../../shared/operations/operation-verdict.ts'
import type { CommandContext } from '../base/command.ts'
import { createUsageError } from '../base/flags.ts'
import type { ExitName } from '../../electron/system/program-exits.ts'
import { parseHostError } from '../output/error-text.ts'
import type { ConnectedSession } from '../base/session.ts'
import { getExitName, waitForOutcome } from './verdict.ts'
import { confirmWrite, parseTimeoutMs, unlockProfile, createWriteFlagError, type WriteOptions } from './write.ts'

const changeReasons: Readonly<Record<PanelCallChange['why'], string>> = {
  'confirm-filled': 'the host fills in confirm',
  'addon-rewritten': 'the host writes the plugin’s id into addon',
  'addon-without-id': 'the plugin’s id is not known',
  'header-removed': 'the host does not pass this header on',
  override: 'an override',
  'override-missed': 'an override that leads nowhere here',
  'edited-by-hand': 'a person edited it',
  'token-masked': 'a token never reaches a panel',
}

/** Example: `Changed: body /addon "mine" -> "plugin.one" (…)`. */
function formatChange({ where, member, from, to, why }: PanelCallChange): string {
  const location = member === '' ? where : `${where} ${member}`
  const values = why === 'token-masked' ? '' : ` ${from ?? 'absent'} -> ${to ?? 'removed'}`
  return `Changed: ${location}${values} (${changeReasons[why]})`
}

/** How the call may differ in a host, which alone decides whether to build it (spec §5.3). */
async function getHostNotes({ call }: ConnectedSession, panelCall: PanelCall, pluginId: string): Promise<string[]> {
  const { plugin, allow } = await call('panel.get', {})
  const notes: string[] = []
  if (plugin.offered.length > 0 && !plugin.offered.includes(pluginId)) {
    notes.push(
      `Note: The host’s template lists ${plugin.offered.slice(0, 10).join(', ')}, not ${pluginId}: it would not build this panel.`,
    )
  }
  if (plugin.offered.length === 0) notes.push('Note: No template of the host names a plugin.')
  if (allow.from === 'contract')
    notes.push('Note: The host lists no routes: every route of the contract counts as allowed.')
  if (allow.from === 'capabilities-routes')
    notes.push('Note: The host names no list for panels: every route that it lists counts as allowed.')
  const { panel } = await call('callers.who', {
    method: panelCall.page.method,
    path: panelCall.page.path.split('?', 1)[0] ?? panelCall.page.path,
  })
  const immersiveState = panel.reasons.find(({ code }) => code === 'immersive-said')?.quote
  if (immersiveState)
    notes.push(`Note: Its immersive state is ${immersiveState.value}, which decides whether a panel is shown at all.`)
  return notes
}

type Call = IpcInput<'panel.callAs'>
type PanelCallResult = IpcOutput<'panel.callAs'>
type PanelCallRequest = Omit<Call, 'method'> & { readonly method: string }

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/**
 * The call passes the panel policy, and the value that `host.api` resolves to is printed. A write
 * for which the policy requires a decision is confirmed like every other write of the command line.
 */
export async function callAsPanel(
  context: CommandContext,
  session: ConnectedSession,
  request: PanelCallRequest,
  options: WriteOptions & { readonly quiet?: boolean | undefined },
): Promise<ExitName> {
  const { io, signal } = context
  const method = methods.find((candidate) => candidate === request.method)
  if (method === undefined) throw createUsageError('A page can’t use this method.')
  const timeoutMs = parseTimeoutMs(options)
  if (options.write === true) await unlockProfile(session)
  const { meta, bytes, refusal } = await makeCall(context, session, { ...request, method }, options)
  const { call } = meta
  if (signal.aborted) {
    if (call.operationId !== null)
      io.printStderr(`INTERRUPTED: It was sent, and is recorded as ${call.operationId}. It is not sent again.`)
    return 'interrupted'
  }
  if (options.quiet !== true) for (const line of await getHostNotes(session, call, request.pluginId)) io.printNote(line)
  for (const change of call.changes) io.printNote(formatChange(change))
  if (options.json === true) await io.print(`${JSON.stringify(call, null, 2)}\n`)
  else {
    await io.print(new Uint8Array(bytes))
    if (io.isTerminal && bytes.byteLength > 0) await io.printText('\n')
  }
  if (refusal !== null) throw refusal
  if (meta.cut) io.printStderr('BODY_CUT: the response is too large, and its body was printed in part.')
  if (call.operationId === null) return reportCallExit(io, meta, new Uint8Array(bytes))
  const sentRecord = await session.call('operations.get', { id: call.operationId })
  const record = options.wait ? await waitForOutcome(session, sentRecord, io, signal, timeoutMs) : sentRecord
  const callExit = reportCallExit(io, meta, new Uint8Array(bytes))
  io.printNote(`${verdictTexts[record.summary.verdict.code]} (record ${record.summary.id})`)
  if (signal.aborted) return 'interrupted'
  return callExit === 'ok' || callExit === 'partial' ? getExitName(record, 'write') : callExit
}

/** Decides on the call's write, if any. The panel, too, sees the refusal of a forbidden one. */
async function makeCall({ io, signal }: CommandContext, session: ConnectedSession, call: Call, options: WriteOptions) {
  let refusal: unknown = null
  let isUnasked = false
  const decidedIds = new Set<string>()
  const decide = async ({ id, prepared, changes }: PendingPanelWrite): Promise<void> => {
    decidedIds.add(id)
    try {
      if (options.write !== true) throw createWriteFlagError(call.method, call.path)
      if (options.yes !== true) for (const change of changes) io.printStderr(formatChange(change))
      await confirmWrite(io, prepared, options, signal)
    } catch (error) {
      refusal = error
      isUnasked = !(error instanceof AppError && error.code === 'NOT_CONFIRMED' && io.canAsk)
    }
    // If the call has ended meanwhile, the pending write no longer exists.
    await session.call('panel.decide', { id, send: refusal === null, unasked: isUnasked }).catch(() => undefined)
  }
  const unsubscribe = session.app.dispatcher.subscribe(({ topic, payload }) => {
    if (topic !== 'panel.changed') return
    for (const ask of panelStateSchema.parse(payload).asks) if (!decidedIds.has(ask.id)) void decide(ask)
  })
  try {
    const { meta, bytes } = await session.call('panel.callAs', call)
    return { meta, bytes, refusal }
  } finally {
    unsubscribe()
  }
}

/** Prints the error code on standard error. */
function reportCallExit(
  io: CommandContext['io'],
  { call, cut, isFailure }: PanelCallResult['meta'],
  value: Uint8Array,
): ExitName {
  const { answer, decision, reason } = call
  if (answer === null || answer.broken || answer.status === null) {
    io.printStderr(`NETWORK: The panel gets no answer. ${reason.params['message'] ?? ''}`.trimEnd())
    return 'offline'
  }
  if (!isFailure) return cut ? 'partial' : 'ok'
  const { code, message } = parseHostError(value)
  const shownCode = code === null ? `HTTP_${answer.status}` : code || 'HOST_ERROR'
  io.printStderr(`${shownCode}: ${message ?? `The response has status ${answer.status}.`}`)
  if (decision !== 'passed') return 'refused'
  return answer.status === 401 ? 'token' : 'host'
}
