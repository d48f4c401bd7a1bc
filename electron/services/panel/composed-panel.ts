import { AppError } from '../../../shared/errors.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import { CONNECTION_ORIGIN, withOrigin } from '../bridge/client/client.ts'
import type { BridgeClient } from '../bridge/types.ts'
import { AskQueue } from '../ask-queue.ts'
import type { Breakpoints } from '../breakpoints/breakpoints.ts'
import type { Bus } from '../bus.ts'
import type { TokenPredicate } from '../console/collections.ts'
import { getConnectedHost, type ConnectedHost } from '../bridge/connection/connected-host.ts'
import type { Operations } from '../operations/operations.ts'
import type { Recorder } from '../traffic/recorder.ts'
import type { SettingsService } from '../settings/settings.ts'
import type { Uploads } from '../uploads/uploads.ts'
import { createPanelCaller, type PanelCaller } from './panel-caller.ts'
import { createCallerLookup, type CallerLookup } from './caller-lookup.ts'
import { PanelCalls, createResolvedValueReader, type ResolvedValueReader } from './call/panel-calls.ts'
import type { PanelAskQueue } from './policy/panel-write.ts'
import { createHostRules } from './host-rules.ts'
import { createOverrides, type Overrides } from './overrides/overrides.ts'
import { createPanelService, type PanelService } from './panel-service.ts'
import type { PanelProcess, ProgramRule } from './call/types.ts'

interface Options {
  readonly dataDir: string
  readonly ports: {
    readonly resources: URL
    readonly sourceMapWorker: URL
    readonly panelProcess: PanelProcess | null
  }
  readonly bus: Bus
  readonly conceal: (text: string) => string
  readonly connection: Connection
  readonly client: BridgeClient
  readonly operations: Operations
  readonly uploads: Uploads
  readonly recorder: Recorder
  readonly breakpoints: Breakpoints
  readonly holdsToken: TokenPredicate
  readonly settings: Pick<SettingsService, 'get'>
  readonly firstRules: Iterable<ProgramRule>
}

export interface ComposedPanel {
  readonly panel: PanelService & {
    readonly findCallers: CallerLookup
    readonly callAsPanel: PanelCaller
    readonly getResolvedValue: ResolvedValueReader
  }
  readonly overrides: Overrides
}

export function composePanel(options: Options): ComposedPanel {
  const { bus, connection, dataDir, holdsToken, ports, recorder } = options
  const connectionClient = withOrigin(options.client, CONNECTION_ORIGIN)
  const publishChange = (): void => bus.publish('panel.changed', service.state())
  const findConnectedHost = (): ConnectedHost | null => {
    try {
      return getConnectedHost(connection)
    } catch (error) {
      if (error instanceof AppError) return null
      throw error
    }
  }
  const overrides = createOverrides({
    dataDir,
    holdsToken,
    store: recorder.store,
    firstRules: options.firstRules,
    onChange(state) {
      bus.publish('panel.overridesChanged', state)
      publishChange()
    },
  })
  const askQueue: PanelAskQueue = new AskQueue(publishChange)
  const callOptions = {
    ...options,
    resources: ports.resources,
    sourceMapWorker: ports.sourceMapWorker,
    process: ports.panelProcess,
    rules: createHostRules(connectionClient, connection, publishChange),
    relay: options.client,
    calls: new PanelCalls(),
    asks: askQueue,
    getConnectedHost: findConnectedHost,
    getWrapperNames: () => options.settings.get().panelWrappers,
  }
  const service = createPanelService({
    ...callOptions,
    overrides,
    canWrite: () => findConnectedHost()?.target.isReadOnly === false,
  })
  const findCallers = createCallerLookup(connectionClient, connection, service.state)
  const getResolvedValue = createResolvedValueReader({ calls: callOptions.calls, store: recorder.store })
  return {
    panel: { ...service, findCallers, callAsPanel: createPanelCaller(callOptions), getResolvedValue },
    overrides,
  }
}
