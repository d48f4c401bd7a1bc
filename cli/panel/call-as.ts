import { AppError } from '../../shared/errors.ts'
import { panelStateSchema, type PanelAsk } from '../../shared/panel/panel.ts'
import type { Input, Output } from '../../shared/ipc/index.ts'
import { usageError, type Context } from '../command.ts'
import type { ExitName } from '../../shared/exit.ts'
import { errorIn } from '../io/error-in.ts'
import type { Opened } from '../session/session.ts'
import { exitOf, verdictText } from '../writing/verdict.ts'
import { untilSettled } from '../writing/settled.ts'
import { approve, timeoutOf, unlock, writeFlagMissing, type WriteOptions } from '../writing/write.ts'
import { changeLine, hostRemarks } from './told.ts'

type Call = Input<'panel.callAs'>
type Met = Output<'panel.callAs'>
type Asked = Omit<Call, 'method'> & { readonly method: string }

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/**
 * Makes one call as a panel of a plugin does, through the gate of panels, and prints the value that `host.api` resolves to. A write that
 * the gate asks about is confirmed as every other write of the command line is.
 */
export async function callAsPanel(
  context: Context,
  session: Opened,
  asked: Asked,
  options: WriteOptions & { readonly quiet?: boolean | undefined },
): Promise<ExitName> {
  const { io, signal } = context
  const method = methods.find((one) => one === asked.method)
  if (method === undefined) throw usageError('A page can’t use this method.')
  const ms = timeoutOf(options)
  if (options.write === true) await unlock(session)
  const { meta, bytes, refusal } = await met(context, session, { ...asked, method }, options)
  const { call } = meta
  if (signal.aborted) {
    if (call.operationId !== null)
      io.complain(`INTERRUPTED: It was sent, and is recorded as ${call.operationId}. It is not sent again.`)
    return 'interrupted'
  }
  if (options.quiet !== true) for (const line of await hostRemarks(session, call, asked.pluginId)) io.remark(line)
  for (const change of call.changes) io.remark(changeLine(change))
  if (options.json === true) await io.print(`${JSON.stringify(call, null, 2)}\n`)
  else {
    await io.print(new Uint8Array(bytes))
    if (io.terminal && bytes.byteLength > 0) await io.say('\n')
  }
  if (refusal !== null) throw refusal
  if (meta.cut) io.complain('BODY_CUT: the response is too large, and its body was printed in part.')
  if (call.operationId === null) return exitOfCall(io, meta, new Uint8Array(bytes))
  const sent = await session.call('operations.get', { id: call.operationId })
  const record = options.wait ? await untilSettled(session, sent, io, signal, ms) : sent
  const failed = exitOfCall(io, meta, new Uint8Array(bytes))
  io.remark(`${verdictText(record.summary.verdict.code)} (record ${record.summary.id})`)
  if (signal.aborted) return 'interrupted'
  return failed === 'ok' || failed === 'partial' ? exitOf(record, 'write') : failed
}

/** Makes the call, and decides on the write that it may be: what may not be sent is refused to the panel as well. */
async function met({ io, signal }: Context, session: Opened, call: Call, options: WriteOptions) {
  let refusal: unknown = null
  let isUnasked = false
  const decided = new Set<string>()
  const decide = async ({ id, prepared, changes }: PanelAsk): Promise<void> => {
    decided.add(id)
    try {
      if (options.write !== true) throw writeFlagMissing(call.method, call.path)
      if (options.yes !== true) for (const change of changes) io.complain(changeLine(change))
      await approve(io, prepared, options, signal)
    } catch (error) {
      refusal = error
      isUnasked = !(error instanceof AppError && error.code === 'NOT_CONFIRMED' && io.canAsk)
    }
    // Gone by itself where the call has ended meanwhile.
    await session.call('panel.decide', { id, send: refusal === null, unasked: isUnasked }).catch(() => undefined)
  }
  const unsubscribe = session.app.door.subscribe(({ topic, payload }) => {
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
function exitOfCall(io: Context['io'], { call, cut, isFailure }: Met['meta'], value: Uint8Array): ExitName {
  const { answer, decision, reason } = call
  if (answer === null || answer.broken || answer.status === null) {
    io.complain(`NETWORK: The panel gets no answer. ${reason.params['message'] ?? ''}`.trimEnd())
    return 'offline'
  }
  if (!isFailure) return cut ? 'partial' : 'ok'
  const { code, message } = errorIn(value)
  const shownCode = code === null ? `HTTP_${answer.status}` : code || 'HOST_ERROR'
  io.complain(`${shownCode}: ${message ?? `The response has status ${answer.status}.`}`)
  if (decision !== 'passed') return 'refused'
  return answer.status === 401 ? 'token' : 'host'
}
