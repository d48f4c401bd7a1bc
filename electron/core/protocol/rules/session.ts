import { getMember } from '../../../../shared/json/object.ts'
import { BoundedMap, type RuleContext, type RuleState } from '../rule-state.ts'
import { isSuccess, getTextMember, type ObservedExchange } from '../observed-exchange.ts'

interface Command {
  readonly requestId: string
  readonly seq: number
  readonly end: number
  readonly instance: string | null
  /** A response that contains one of these values belongs to this session. */
  readonly ids: readonly string[]
  reported: string | null
}

/** Responses of these commands say how they were handled, so they are no confirmation. */
const commands: ReadonlySet<string> = new Set([
  'writing.sessionFocusBegin',
  'writing.sessionReserve',
  'writing.sessionPause',
])

/**
 * Checks the reservations of one load of a caller. Their response reports only how the command was
 * handled, so the caller has to read the outcome (spec §4 session-reserve). Of the other session
 * commands the spec does not say so.
 */
export function createSessionRule(): RuleState {
  const openCommands = new BoundedMap<Command>(100)

  function confirm(requestId: string, context: RuleContext): void {
    const reported = openCommands.get(requestId)?.reported ?? null
    if (reported !== null) context.withdraw(reported)
    openCommands.delete(requestId)
  }

  function addCommand(exchange: ObservedExchange): void {
    const { seq, endedAt: end, instance, response } = exchange
    const requestId = getTextMember(exchange.body, 'requestId')
    // The response is unknown and may have reported the end of the command.
    if (
      requestId === null ||
      exchange.endpoint !== 'writing.sessionReserve' ||
      !isSuccess(exchange) ||
      response === undefined ||
      getMember(response, 'settled') !== false
    )
      return
    const ids = [
      requestId,
      getTextMember(response, 'attemptId'),
      getTextMember(response, 'runId') ?? getTextMember(exchange.body, 'runId'),
    ]
    openCommands.set(requestId, { requestId, seq, end, instance, ids: ids.filter((id) => id !== null), reported: null })
  }

  /** The contract leaves open which response holds the session record: any naming it counts. */
  function observeRead(exchange: ObservedExchange, context: RuleContext): void {
    if (!isSuccess(exchange)) return
    const isAboutWriting = exchange.method === 'GET' && exchange.path.startsWith('/writing/')
    for (const command of [...openCommands.values()]) {
      const isAboutSession =
        isAboutWriting || command.ids.some((id) => context.responseContains(exchange.seq, id) !== false)
      if (exchange.seq !== command.seq && exchange.endedAt >= command.end && isAboutSession)
        confirm(command.requestId, context)
    }
  }

  return {
    observe(exchange, context) {
      for (const command of [...openCommands.values()]) {
        const isOtherRun =
          command.instance !== null && exchange.instance !== null && command.instance !== exchange.instance
        if (isOtherRun) confirm(command.requestId, context)
      }
      const requestId = getTextMember(exchange.body, 'requestId')
      if (!commands.has(exchange.endpoint ?? '')) observeRead(exchange, context)
      // A repeated request also returns the outcome.
      else if (requestId !== null && openCommands.get(requestId)) confirm(requestId, context)
      else addCommand(exchange)
    },
    observeSibling(exchange, context) {
      if (!commands.has(exchange.endpoint ?? '')) observeRead(exchange, context)
    },
    isOwing: () => [...openCommands.values()].some(({ reported }) => reported === null),
    checkOverdue(context) {
      for (const command of openCommands.values()) {
        if (command.reported !== null || !context.isOverdue(command.end)) continue
        command.reported = context.report('session-not-confirmed', [command.seq], { requestId: command.requestId })
      }
    },
  }
}
