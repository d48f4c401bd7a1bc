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
  /** Removes every known token from a text. */
  readonly conceal: (text: string) => string
  readonly uploads?: Uploads | undefined
  /** How long and how much is kept; asked anew each time. */
  readonly retention: () => Retention
  /** Called when a watched command has ended. */
  readonly onEnded?: (stored: StoredOperation) => void
}

/** Assembles the operation services. What was in flight when the app ended is reported, and unfinished operations are watched again. */
export function composeOperations(options: OperationsOptions) {
  const { client, connection, bus, journal, notices, log, conceal } = options
  let told = false
  const records = new OperationRecords({
    journal,
    bus,
    onUnwritten(error) {
      log.error('the journal could not be written', { reason: describeError(error) })
      if (!told) notices.add(unwritten)
      told = true
    },
  })
  const inFlight = noteEnd(records)
  if (inFlight > 0) notices.add(lost(inFlight))
  const dataChanges = new DataChangeNotifier({ bus, connection })
  const onEnded = (stored: StoredOperation): void => {
    options.onEnded?.(stored)
    dataChanges.handleCommandEnd(stored)
  }
  const follow = new OperationFollower({ client, connection, records, onEnded })
  const { uploads } = options
  const transfer = uploads && ((id: string) => uploads.beginTransfer(id))
  const sender = new CommandSender({ client, connection, records, conceal, beginTransfer: transfer })
  const fileOf = uploads && ((id: string) => uploads.getFile(id))
  const stopPruning = prunes(records, options.retention, (error) =>
    log.warn('the journal could not be made smaller', { reason: describeError(error) }),
  )
  const journaled = (): boolean => journal.info().kind === 'sqlite'
  const operations = createOperations({
    client,
    connection,
    records,
    sender,
    follower: follow,
    findUpload: fileOf,
    isJournaled: journaled,
  })
  const unsubscribe = watchHostRestarts(bus, connection, records, follow)
  const recordOf = (id: string) => records.getDetail(records.get(id))
  const agents = createAgentService({
    dataDir: options.dataDir,
    bus,
    log,
    connection,
    operations,
    getRecord: recordOf,
    conceal,
  })
  const noteRecorded = createRecordedCommandHandler({ connection, records, follower: follow, log, conceal })
  return {
    operations,
    agents,
    records,
    follow,
    sender,
    /** Call with each exchange that has ended. */
    noteExchange(begun: ExchangeStart, ended: ExchangeEnd): void {
      noteRecorded(begun, ended)
      dataChanges.handleExchange(begun, ended)
    },
    lab: createLab({ client, connection, operations }),
    async dispose(): Promise<void> {
      await agents.close()
      stopPruning()
      unsubscribe()
      follow.dispose()
      records.dispose()
      dataChanges.dispose()
    },
  }
}

/** Records for every operation under way that the app ended. Returns how many of them may have reached a host. */
function noteEnd(records: OperationRecords): number {
  let inFlight = 0
  for (const record of records.all) {
    if (record.state !== 'sent' && record.state !== 'prepared') continue
    if (record.state === 'sent') inFlight += 1
    records.observe(record, { kind: 'app-ended', at: Date.now() })
  }
  return inFlight
}

const lost = (count: number) => ({
  level: 'warning' as const,
  code: 'OPERATIONS_IN_FLIGHT',
  message: `Operations in flight when the app closed: ${count}. Their outcome is unknown: check them.`,
  params: { count },
})

const unwritten = {
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

/** Keeps the journal within its limits, at startup and once an hour. Returns a function that stops it. */
function prunes(records: OperationRecords, retention: () => Retention, onError: (error: unknown) => void): () => void {
  function prune(): void {
    const { keepDays, maxMb } = retention()
    try {
      records.removeBefore(Date.now() - keepDays * DAY_MS)
      records.shrinkTo(maxMb * 1024 * 1024)
    } catch (error) {
      // Keeping more loses nothing, and a journal that cannot be written refuses the next write anyway.
      onError(error)
    }
  }
  prune()
  const timer = setInterval(prune, HOUR_MS).unref()
  return () => clearInterval(timer)
}
