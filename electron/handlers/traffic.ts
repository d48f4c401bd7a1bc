import { createRefusedError, type AppError } from '../../shared/errors.ts'
import { getShownSeq, locateFindings } from '../../shared/protocol/finding.ts'
import { MAX_BODY_BYTES_PER_CALL } from '../../shared/ipc/traffic.ts'
import type { Connection } from '../services/bridge/connection/connection.ts'
import type { BridgeClient } from '../services/bridge/types.ts'
import { sendConsoleRead } from '../services/traffic/console-read.ts'
import type { Recorder } from '../services/traffic/recorder.ts'
import type { Handlers } from './app-ports.ts'
import type { Findings } from '../services/findings/findings.ts'
import type { SchemaService } from '../services/contract/schema-service.ts'
import type { TrafficStore } from '../services/traffic/traffic-store.ts'

interface TrafficServices {
  readonly client: BridgeClient
  readonly connection: Connection
  readonly recorder: Recorder
  readonly conceal: (text: string) => string
}

export function createTrafficHandlers({
  client,
  connection,
  recorder,
  conceal,
}: TrafficServices): Pick<Handlers, Extract<keyof Handlers, `traffic.${string}`>> {
  const { store } = recorder
  return {
    'traffic.find': async ({ filter, sort, after = 0 }) => {
      const { seqs, ...facts } = await store.find(filter, sort, after)
      return { meta: { total: seqs.length, ...facts }, bytes: toLittleEndian(seqs) }
    },
    'traffic.head': async ({ filter, sort, limit }) => store.head(filter, sort, limit),
    'traffic.rows': async ({ seqs }) => ({ rows: await store.rows(seqs) }),
    'traffic.exchange': async (by) => {
      const detail = await store.exchange(by)
      if (detail === null) throw createUnknownExchangeError()
      return detail
    },
    'traffic.body': async ({ seq, side, start, end }) => {
      const body = await store.body(seq, side, start, Math.min(end, start + MAX_BODY_BYTES_PER_CALL))
      if (body === null) throw createUnknownExchangeError()
      if (body.kept === 0) throw createRefusedError('BODY_NOT_KEPT', 'Nothing of this body is kept.')
      return { meta: { start, kept: body.kept }, bytes: body.bytes.buffer }
    },
    'traffic.strip': async (span) => store.countOverTime(span),
    'traffic.coverage': async ({ after }) => store.countCoverage(after),
    'traffic.info': () => recorder.info(),
    'traffic.pause': ({ paused }) => recorder.pause(paused),
    'traffic.clear': async () => ({ removed: await store.clear() }),
    'traffic.pin': async ({ seqs, pinned }) => {
      await store.pin(seqs, pinned)
      return {}
    },
    'traffic.send': async (request, { signal }) => {
      const id = await sendConsoleRead(client, connection.target(), connection.capabilities(), {
        ...request,
        signal,
        conceal,
      })
      const seq = await store.seqOf(id)
      if (seq === null) throw createUnknownExchangeError()
      return { seq }
    },
  }
}

/** Returns the bytes unchanged, because every supported machine is little-endian. */
const toLittleEndian = (seqs: Uint32Array<ArrayBuffer>): ArrayBuffer =>
  seqs.byteLength === seqs.buffer.byteLength ? seqs.buffer : seqs.slice().buffer

const createUnknownExchangeError = (): AppError =>
  createRefusedError('EXCHANGE_UNKNOWN', 'This exchange is not in the recorded traffic (any more).')

export function createFindingHandlers(
  findings: Findings,
  store: Pick<TrafficStore, 'judgePast' | 'clearFindings' | 'listInitiators'>,
  conceal: (text: string) => string,
): Pick<Handlers, Extract<keyof Handlers, `findings.${string}`>> {
  return {
    'findings.list': async ({ offset, limit, scope, class: listedClass }) => {
      const page = findings.list(offset, limit, scope, listedClass)
      const initiators = await store.listInitiators(page.findings.map(getShownSeq))
      return { ...page, findings: locateFindings(page.findings, initiators) }
    },
    'findings.of': ({ seq }) => ({ findings: findings.listForExchange(seq) }),
    'findings.judge': async () => store.judgePast(),
    'findings.clear': async () => {
      await store.clearFindings()
      return {}
    },
    'findings.mute': ({ rule, reason }) => ({ muted: findings.mute(rule, conceal(reason)) }),
    'findings.unmute': ({ rule }) => ({ muted: findings.unmute(rule) }),
  }
}

export function createContractHandlers(
  store: Pick<
    TrafficStore,
    'listDeviations' | 'judgeContract' | 'muteDeviation' | 'markDeviations' | 'askExchanges' | 'listLearned'
  >,
  schemas: SchemaService,
  conceal: (text: string) => string,
): Pick<Handlers, Extract<keyof Handlers, `contract.${string}`>> {
  return {
    'contract.deviations': async () => store.listDeviations(),
    'contract.exportDeviations': () => schemas.exportDeviations(),
    'contract.judgeAgain': async ({ after }) => store.judgeContract(after),
    'contract.mute': async ({ id, reason }) => {
      await store.muteDeviation(id, reason && conceal(reason), Date.now())
      return {}
    },
    'contract.mark': async () => {
      const markedAt = Date.now()
      await store.markDeviations(markedAt)
      return { markedAt }
    },
    'contract.ask': async (question) => store.askExchanges(question),
    'contract.learned': async ({ filter }) => store.listLearned(filter),
    'contract.learnedShape': (input) => schemas.readShape(input),
    'contract.export': (input) => schemas.export(input),
    'contract.compare': (input) => schemas.compare(input),
  }
}
