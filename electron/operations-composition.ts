import { createAgentService } from './services/agents/agent-service.ts'
import type { Bus } from './services/bus.ts'
import type { Connection } from './services/bridge/connection/connection.ts'
import type { BridgeClient, ExchangeStart, ExchangeEnd } from './services/bridge/types.ts'
import type { Journal, StoredOperation } from './services/journal/types.ts'
import { describeError, type Log } from './services/files/log.ts'
import type { Notices } from './services/notices.ts'
import { DataChangeNotifier } from './services/operations/data-change-notifier.ts'
import { OperationFollower, watchHostRestarts } from './services/operations/watch/operation-follower.ts'
import { createLab } from './services/operations/lab/lab.ts'
import { createRecordedCommandHandler } from './services/operations/recorded-commands.ts'
import { createOperations } from './services/operations/operations.ts'
import { OperationRecords } from './services/operations/records/records.ts'
import { CommandSender } from './services/operations/send/sender.ts'
import type { Uploads } from './services/uploads/uploads.ts'

interface OperationsOptions {
  readonly dataDir: string
  readonly client: BridgeClient
  readonly connection: Connection
  readonly bus: Bus
  readonly journal: Journal
  readonly notices: Notices
  readonly log: Log
  /** Replaces every known token in a text. */
  readonly conceal: (text: string) => string
  readonly uploads?: Uploads | undefined
  /** True if the journal holds what a recording holds: nothing is continued, and none is old. */
  readonly isRecorded: boolean
  /** Returns the current limits; called each time the journal is pruned. */
  readonly retention: () => Retention
}

/** Operations in progress when the app last ended become a notice; unfinished ones are polled. */
export function composeOperations(options: OperationsOptions) {
  const { client, connection, bus, journal, notices, log, conceal } = options
  let isUnwrittenReported = false
  const records = new OperationRecords({
    journal,
    bus,
    onUnwritten(error) {
      log.error('the journal could not be written', { reason: describeError(error) })
      if (!isUnwrittenReported) notices.add(unwrittenNotice)
      isUnwrittenReported = true
    },
  })
  const inFlight = options.isRecorded ? 0 : recordAppEnd(records)
  if (inFlight > 0) notices.add(createInFlightNotice(inFlight))
  const dataChanges = new DataChangeNotifier({ bus, connection })
  bus.on('operations.ended', (stored) => dataChanges.handleCommandEnd(stored))
  const onEnded = (stored: StoredOperation): void => bus.publish('operations.ended', stored)
  const follower = new OperationFollower({ client, connection, records, onEnded })
  const { uploads } = options
  const beginTransfer = uploads && ((id: string) => uploads.beginTransfer(id))
  const sender = new CommandSender({ client, connection, records, log, conceal, beginTransfer })
  const findUpload = uploads && ((id: string) => uploads.getFile(id))
  const stopPruning = options.isRecorded
    ? () => undefined
    : startPruning(records, options.retention, (error) =>
        log.warn('the journal could not be made smaller', { reason: describeError(error) }),
      )
  const isJournaled = (): boolean => journal.info().kind === 'sqlite'
  const operations = createOperations({
    client,
    connection,
    records,
    sender,
    follower,
    findUpload,
    isJournaled,
  })
  const unsubscribe = options.isRecorded ? () => undefined : watchHostRestarts(bus, connection, records, follower)
  const getRecord = (id: string) => records.getDetail(records.get(id))
  const agents = createAgentService({
    dataDir: options.dataDir,
    bus,
    log,
    connection,
    operations,
    getRecord,
    conceal,
  })
  const handleRecordedExchange = createRecordedCommandHandler({ connection, records, follower, log, conceal })
  /** Call this for an exchange that was not published on the bus. */
  function handleExchange(start: ExchangeStart, end: ExchangeEnd): void {
    if (!options.isRecorded) handleRecordedExchange(start, end)
    dataChanges.handleExchange(start, end)
  }
  bus.on('bridge.exchangeEnded', ({ start, end }) => handleExchange(start, end))
  return {
    operations,
    agents,
    records,
    follow: follower,
    sender,
    handleExchange,
    lab: createLab({ client, connection, operations }),
    async dispose(): Promise<void> {
      await agents.close()
      stopPruning()
      unsubscribe()
      follower.dispose()
      records.dispose()
      dataChanges.dispose()
    },
  }
}

/** Marks the end of the app. Returns how many operations may have reached a host. */
function recordAppEnd(records: OperationRecords): number {
  let inFlight = 0
  for (const record of records.all) {
    if (record.state !== 'sent' && record.state !== 'prepared') continue
    if (record.state === 'sent') inFlight += 1
    records.observe(record, { kind: 'app-ended', at: Date.now() })
  }
  return inFlight
}

const createInFlightNotice = (count: number) => ({
  level: 'warning' as const,
  code: 'OPERATIONS_IN_FLIGHT',
  message: `Operations in flight when the app closed: ${count}. Their outcome is unknown: check them.`,
  params: { count },
})

const unwrittenNotice = {
  level: 'error' as const,
  code: 'JOURNAL_UNWRITTEN',
  message:
    'An update to an operation could not be written to the journal. Until a retry succeeds, it is kept only in memory.',
}

interface Retention {
  readonly keepDays: number
  readonly maxMb: number
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Prunes the journal at once and then every hour. Returns a function that stops this. */
function startPruning(
  records: OperationRecords,
  retention: () => Retention,
  onError: (error: unknown) => void,
): () => void {
  function prune(): void {
    const { keepDays, maxMb } = retention()
    try {
      records.removeBefore(Date.now() - keepDays * DAY_MS)
      records.shrinkTo(maxMb * 1024 * 1024)
    } catch (error) {
      // A failure loses no data. A journal that cannot be written refuses the next write anyway.
      onError(error)
    }
  }
  prune()
  const timer = setInterval(prune, HOUR_MS).unref()
  return () => clearInterval(timer)
}
