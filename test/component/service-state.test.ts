// Stores that other tests in the process made read after a push, too. @runs-alone

import { flushPromises } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, test } from 'vitest'
import { useAgents } from '../../renderer/stores/agents.ts'
import { useBreakpoints } from '../../renderer/stores/breakpoints.ts'
import { useClientProxy } from '../../renderer/stores/client-proxy.ts'
import { useConnection } from '../../renderer/stores/connection.ts'
import { useDeviations } from '../../renderer/stores/deviations.ts'
import { useFindings } from '../../renderer/stores/findings.ts'
import { useOperations } from '../../renderer/stores/operations.ts'
import { useOverrides } from '../../renderer/stores/overrides.ts'
import { usePanel } from '../../renderer/stores/panel.ts'
import { useProfiles } from '../../renderer/stores/profiles.ts'
import { useRecordings } from '../../renderer/stores/recordings.ts'
import { useServiceState } from '../../renderer/stores/service-state.ts'
import { useTraffic } from '../../renderer/stores/traffic.ts'
import { useUpdates } from '../../renderer/stores/updates.ts'
import { createRefusedError } from '../../shared/errors.ts'
import type { MethodName, TopicName } from '../../shared/ipc/index.ts'
import type { TrafficInfo } from '../../shared/ipc/traffic.ts'
import { installFakeServiceProcess } from '../support/vue/mounting.ts'
import { createPanelState } from '../support/vue/panel-state.ts'
import { createRecordingEntry } from '../support/vue/recordings.ts'
import { createConnectionState, noUpdates, profile } from '../support/vue/states.ts'

beforeEach(() => {
  setActivePinia(createPinia())
})

interface ReadState {
  readonly method: MethodName
  readonly topic: TopicName
  /** Begins with the first read, and returns what the store shows. */
  readonly start: () => () => unknown
  /** The state in which the service process is, by a number that increases. */
  readonly create: (version: number) => unknown
  /** The payload of the push, if it is not the state. */
  readonly payload?: unknown
}

const profileView = (version: number) => ({
  profile: { ...profile, name: `v${version}` },
  token: { state: 'none', boundTo: null, backend: null },
  plainRemote: false,
})

const pushedStates: Record<string, ReadState> = {
  agents: {
    method: 'agents.asks',
    topic: 'agents.changed',
    start() {
      const store = useAgents()
      return () => store.proposals.map(({ at }) => at)
    },
    create: (version) => ({ asks: [{ id: `ask-${version}`, at: version, agent: 'a' }] }),
  },
  connection: {
    method: 'connection.get',
    topic: 'connection.changed',
    start() {
      const store = useConnection()
      void store.start()
      return () => (store.state.latencyMs === null ? [] : [store.state.latencyMs])
    },
    create: (version) => createConnectionState({ latencyMs: version }),
  },
  breakpoints: {
    method: 'breakpoints.get',
    topic: 'breakpoints.changed',
    start() {
      const store = useBreakpoints()
      return () => store.state.lapses.map(({ count }) => count)
    },
    create: (version) => ({
      rules: [],
      isHoldingAll: false,
      held: [],
      lapses: [{ reason: 'full', count: version }],
    }),
  },
  overrides: {
    method: 'panel.overrides',
    topic: 'panel.overridesChanged',
    start() {
      const store = useOverrides()
      return () => [Number(store.state?.file)]
    },
    create: (version) => ({ rules: [], file: `${version}`, problems: [] }),
  },
  panel: {
    method: 'panel.get',
    topic: 'panel.changed',
    start() {
      const store = usePanel()
      return () => [store.state?.load]
    },
    create: (version) => createPanelState({ load: version }),
  },
  'another client': {
    method: 'clientProxy.get',
    topic: 'clientProxy.changed',
    start() {
      const store = useClientProxy()
      return () => [store.state?.passed]
    },
    create: (version) => ({
      on: true,
      baseUrl: 'http://127.0.0.1:1/bridge/v1',
      key: 'k',
      startedAt: 1,
      passed: version,
      refused: 0,
      locked: 0,
      lastAt: null,
      label: '',
    }),
  },
  profiles: {
    method: 'profiles.list',
    topic: 'profiles.changed',
    start() {
      const store = useProfiles()
      void store.start()
      return () => store.list.map(({ profile: { name } }) => Number(name.slice(1)))
    },
    create: (version) => [profileView(version)],
  },
  updates: {
    method: 'updates.get',
    topic: 'updates.changed',
    start() {
      const store = useUpdates()
      store.follow()
      return () => [store.state?.received]
    },
    create: (version) => ({ ...noUpdates, received: version }),
  },
  'counts of operations': {
    method: 'operations.list',
    topic: 'operations.changed',
    start() {
      const store = useOperations()
      store.start()
      return () => [store.unseen]
    },
    create: (version) => ({ items: [], total: 0, topicids: [], all: 0, unfinished: 0, unseen: version }),
    payload: { items: [], removed: [], complete: true, all: 0, unfinished: 0, unseen: 2 },
  },
}

const announcedStates: Record<string, ReadState> = {
  recordings: {
    method: 'recordings.list',
    topic: 'recordings.changed',
    start() {
      const store = useRecordings()
      return () => store.list?.map(({ bytes }) => bytes)
    },
    create: (version) => ({ recordings: [createRecordingEntry({ bytes: version })] }),
    payload: {},
  },
  findings: {
    method: 'findings.list',
    topic: 'findings.changed',
    start() {
      const store = useFindings()
      return () => [store.total]
    },
    create: (version) => ({
      findings: [],
      total: version,
      totals: { findings: version, advice: 0, withdrawn: 0 },
      muted: [],
    }),
    payload: { total: 2 },
  },
  deviations: {
    method: 'contract.deviations',
    topic: 'contract.changed',
    start() {
      const store = useDeviations()
      return () => [store.list?.judgedExchanges]
    },
    create: (version) => ({
      deviations: [],
      ungroupedCount: 0,
      markedAt: null,
      judgedExchanges: version,
      unjudgedExchanges: 0,
      skippedExchanges: 0,
      isCurrent: true,
    }),
    payload: { total: 2, newCount: 0 },
  },
}

describe('a slow first read replaces nothing newer', () => {
  function open({ method, start }: ReadState) {
    const resolvers: ((value: unknown) => void)[] = []
    const service = installFakeServiceProcess({
      [method]: () => new Promise((resolve) => resolvers.push(resolve)),
    })
    const getShown = start()
    return { service, getShown, resolvers }
  }

  test.each(Object.entries(pushedStates))('%s: a push', async (_name, read) => {
    const { service, getShown, resolvers } = open(read)
    service.push({ topic: read.topic, payload: read.payload ?? read.create(2) })
    await flushPromises()
    expect(getShown()).toEqual([2])
    expect(resolvers).toHaveLength(1)
    resolvers[0]?.(read.create(1))
    await flushPromises()
    expect(getShown()).toEqual([2])
  })

  test.each(Object.entries(announcedStates))('%s: the read after a push', async (_name, read) => {
    const { service, getShown, resolvers } = open(read)
    service.push({ topic: read.topic, payload: read.payload })
    await flushPromises()
    expect(resolvers).toHaveLength(2)
    resolvers[1]?.(read.create(2))
    await flushPromises()
    expect(getShown()).toEqual([2])
    resolvers[0]?.(read.create(1))
    await flushPromises()
    expect(getShown()).toEqual([2])
  })
})

test('the write permission of the previous host does not replace that of the host that is connected', async () => {
  const resolvers = new Map<string, (value: unknown) => void>()
  installFakeServiceProcess({
    'operations.writing': (input) =>
      new Promise((resolve) => resolvers.set((input as { profileId: string }).profileId, resolve)),
  })
  const connection = useConnection()
  const operations = useOperations()
  operations.start()
  for (const id of ['first', 'second']) {
    connection.state = createConnectionState({ profile: { ...profile, id } })
    await flushPromises()
  }
  const reply = async (profileId: string, writing: string): Promise<void> => {
    resolvers.get(profileId)?.({ profileId, writing })
    await flushPromises()
  }
  await reply('second', 'locked')
  await reply('first', 'session')
  expect(operations.writeAccess).toEqual({ profileId: 'second', writing: 'locked' })
})

test('a slow read of the recorder does not undo a pause', async () => {
  const info: TrafficInfo = {
    kind: 'disk',
    reason: null,
    paused: false,
    exchanges: 0,
    bytes: 0,
    oldestAt: null,
    runStartedAt: 1,
    newestAt: 1,
    droppedBodies: 0,
    setAside: null,
  }
  const resolvers: ((value: unknown) => void)[] = []
  installFakeServiceProcess({
    'traffic.info': () => new Promise((resolve) => resolvers.push(resolve)),
    'traffic.pause': () => ({ ...info, paused: true }),
  })
  const traffic = useTraffic()
  await flushPromises()
  await traffic.pause(true)
  expect(traffic.paused).toBe(true)
  resolvers[0]?.(info)
  await flushPromises()
  expect(traffic.paused).toBe(true)
})

describe('a state of the service process', () => {
  test('shows each reply in turn, so that frequent pushes do not keep it from being shown', async () => {
    const { state, tryApply } = useServiceState(0)
    const replies = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
    for (const { promise } of replies) void tryApply(promise)
    replies[0]?.resolve(1)
    await flushPromises()
    expect(state.value).toBe(1)
    replies[1]?.resolve(2)
    await flushPromises()
    expect(state.value).toBe(2)
  })

  test('keeps the first read when a command that began later fails', async () => {
    const { state, error, apply, tryApply } = useServiceState(0)
    const firstRead = Promise.withResolvers<number>()
    void tryApply(firstRead.promise)
    const refusal = createRefusedError('NO', 'No.')
    await expect(apply(Promise.reject(refusal))).rejects.toBe(refusal)
    firstRead.resolve(1)
    await flushPromises()
    expect([state.value, error.value]).toEqual([1, null])
  })

  test('forgets the failure of a read that a push overtook', async () => {
    const { state, error, accept, tryApply } = useServiceState(0)
    const slowRead = Promise.withResolvers<number>()
    void tryApply(slowRead.promise)
    accept(2)
    slowRead.reject(createRefusedError('NO', 'No.'))
    await flushPromises()
    expect([state.value, error.value]).toEqual([2, null])
    await tryApply(Promise.reject(createRefusedError('NO', 'No.')))
    expect([state.value, error.value?.code]).toEqual([2, 'NO'])
    accept(3)
    expect([state.value, error.value]).toEqual([3, null])
  })
})
