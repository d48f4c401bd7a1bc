import { AppError } from '../../shared/errors.ts'
import {
  panelStateSchema,
  type PendingPanelWrite,
  type PanelCallChange,
  type PanelCall,
} from '../../shared/panel/panel.ts'
import type { IpcInput, IpcOutput } from '../../shared/ipc/index.ts'
import type { CommandContext } from '../base/command.ts'
import { usageError } from '../base/flags.ts'
import type { ExitName } from '../../shared/program-exits.ts'
import { parseHostError } from '../output/error-text.ts'
import type { ConnectedSession } from '../base/session.ts'
import { getExitName, getVerdictText, waitForOutcome } from './verdict.ts'
import { confirmWrite, parseTimeout, unlockProfile, createWriteFlagError, type WriteOptions } from './write.ts'

const reasons: Readonly<Record<PanelCallChange['why'], string>> = {
  'confirm-filled': 'the host fills in confirm',
  'addon-rewritten': 'the host writes the plugin’s id into addon',
  'addon-without-id': 'the plugin’s id is not known',
  'header-removed': 'the host does not pass this header on',
  override: 'an override',
  'override-missed': 'an override that leads nowhere here',
  'token-masked': 'a token never reaches a panel',
}

/** One thing that the gate changed, in a line: `Changed: body /addon "mine" -> "plugin.one" (…)`. */
function formatChange({ where, member, from, to, why }: PanelCallChange): string {
  const place = member === '' ? where : `${where} ${member}`
  const how = why === 'token-masked' ? '' : ` ${from ?? 'absent'} -> ${to ?? 'removed'}`
  return `Changed: ${place}${how} (${reasons[why]})`
}

/** What the host says about whether it would build a panel of this plugin at all (spec §5.3): nobody here can know more. */
async function getHostNotes({ call }: ConnectedSession, made: PanelCall, pluginId: string): Promise<string[]> {
  const { plugin, allow } = await call('panel.get', {})
  const remarks: string[] = []
  if (plugin.offered.length > 0 && !plugin.offered.includes(pluginId)) {
    remarks.push(
      `Note: The host’s template lists ${plugin.offered.slice(0, 10).join(', ')}, not ${pluginId}: it would not build this panel.`,
    )
  }
  if (plugin.offered.length === 0) remarks.push('Note: The host’s template names no plugin.')
  if (allow.from === 'capabilities-routes')
    remarks.push('Note: The host names no list for panels: every route that it lists counts as allowed.')
  const { panel } = await call('callers.who', {
    method: made.page.method,
    path: made.page.path.split('?', 1)[0] ?? made.page.path,
  })
  const state = panel.reasons.find(({ code }) => code === 'immersive-said')?.quote
  if (state) remarks.push(`Note: Its immersive state is ${state.value}, which decides whether a panel is shown at all.`)
  return remarks
}

type Call = IpcInput<'panel.callAs'>
type Met = IpcOutput<'panel.callAs'>
type Asked = Omit<Call, 'method'> & { readonly method: string }

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/**
 * Makes one call as a panel of a plugin does, through the gate of panels, and prints the value that `host.api` resolves to. A write that
 * the gate asks about is confirmed as every other write of the command line is.
 */
export async function callAsPanel(
  context: CommandContext,
  session: ConnectedSession,
  asked: Asked,
  options: WriteOptions & { readonly quiet?: boolean | undefined },
): Promise<ExitName> {
  const { io, signal } = context
  const method = methods.find((one) => one === asked.method)
  if (method === undefined) throw usageError('A page can’t use this method.')
  const ms = parseTimeout(options)
  if (options.write === true) await unlockProfile(session)
  const { meta, bytes, refusal } = await met(context, session, { ...asked, method }, options)
  const { call } = meta
  if (signal.aborted) {
    if (call.operationId !== null)
      io.printStderr(`INTERRUPTED: It was sent, and is recorded as ${call.operationId}. It is not sent again.`)
    return 'interrupted'
  }
  if (options.quiet !== true) for (const line of await getHostNotes(session, call, asked.pluginId)) io.printNote(line)
  for (const change of call.changes) io.printNote(formatChange(change))
  if (options.json === true) await io.print(`${JSON.stringify(call, null, 2)}\n`)
  else {
    await io.print(new Uint8Array(bytes))
    if (io.isTerminal && bytes.byteLength > 0) await io.printText('\n')
  }
  if (refusal !== null) throw refusal
  if (meta.cut) io.printStderr('BODY_CUT: the response is too large, and its body was printed in part.')
  if (call.operationId === null) return exitOfCall(io, meta, new Uint8Array(bytes))
  const sent = await session.call('operations.get', { id: call.operationId })
  const record = options.wait ? await waitForOutcome(session, sent, io, signal, ms) : sent
  const failed = exitOfCall(io, meta, new Uint8Array(bytes))
  io.printNote(`${getVerdictText(record.summary.verdict.code)} (record ${record.summary.id})`)
  if (signal.aborted) return 'interrupted'
  return failed === 'ok' || failed === 'partial' ? getExitName(record, 'write') : failed
}

/** Makes the call, and decides on the write that it may be: what may not be sent is refused to the panel as well. */
async function met({ io, signal }: CommandContext, session: ConnectedSession, call: Call, options: WriteOptions) {
  let refusal: unknown = null
  let isUnasked = false
  const decided = new Set<string>()
  const decide = async ({ id, prepared, changes }: PendingPanelWrite): Promise<void> => {
    decided.add(id)
    try {
      if (options.write !== true) throw createWriteFlagError(call.method, call.path)
      if (options.yes !== true) for (const change of changes) io.printStderr(formatChange(change))
      await confirmWrite(io, prepared, options, signal)
    } catch (error) {
      refusal = error
      isUnasked = !(error instanceof AppError && error.code === 'NOT_CONFIRMED' && io.canAsk)
    }
    // Gone by itself where the call has ended meanwhile.
    await session.call('panel.decide', { id, send: refusal === null, unasked: isUnasked }).catch(() => undefined)
  }
  const unsubscribe = session.app.dispatcher.subscribe(({ topic, payload }) => {
    if (topic !== 'panel.changed') return
    for (const ask of panelStateSchema.parse(payload).asks) if (!decided.has(ask.id)) void decide(ask)
  })
  try {
    const { meta, bytes } = await session.call('panel.callAs', call)
    return { meta, bytes, refusal }
  } finally {
    unsubscribe()
  }
}

/** How the panel's call ended, as an exit code; the code of an error is told on standard error. */
function exitOfCall(io: CommandContext['io'], { call, cut, isFailure }: Met['meta'], value: Uint8Array): ExitName {
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
