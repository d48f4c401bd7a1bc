import { AppError } from '../../../shared/errors.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import { ownOrigin, causedBy } from '../bridge/client/client.ts'
import type { BridgeClient } from '../bridge/types.ts'
import { Asks } from '../asks.ts'
import type { Bus } from '../bus.ts'
import type { HoldsToken } from '../console/collections.ts'
import { hereOf, type Here } from '../bridge/connection/connected-host.ts'
import type { Operations } from '../operations/operations.ts'
import type { Recorder } from '../traffic/recorder.ts'
import type { Uploads } from '../uploads/uploads.ts'
import { createCallAs, type CallAs } from './call-as.ts'
import { createCallers, type Callers } from './callers.ts'
import { PanelCalls, createGetResolvedValue, type GetResolvedValue } from './call/calls.ts'
import type { PanelAsks } from './gate/write.ts'
import { createHostRules } from './host-rules.ts'
import { createOverrides, type Overrides } from './overrides/overrides.ts'
import { createPanelService, type PanelService } from './service.ts'
import type { PanelView } from './call/types.ts'

interface Options {
  readonly dataDir: string
  readonly resources: URL
  readonly bus: Bus
  readonly conceal: (text: string) => string
  readonly connection: Connection
  readonly client: BridgeClient
  readonly operations: Operations
  readonly uploads: Uploads
  readonly recorder: Recorder
  readonly holdsToken: HoldsToken
  readonly view: PanelView | null
}

export interface ComposedPanel {
  readonly panel: PanelService & {
    readonly callers: Callers
    readonly callAs: CallAs
    readonly resolvedValue: GetResolvedValue
  }
  readonly overrides: Overrides
}

/** Assembles the panel service. */
export function composePanel(options: Options): ComposedPanel {
  const { bus, connection, dataDir, holdsToken, recorder } = options
  const own = causedBy(options.client, ownOrigin)
  const changed = (): void => bus.publish('panel.changed', service.state())
  const here = (): Here | null => {
    try {
      return hereOf(connection)
    } catch (error) {
      if (error instanceof AppError) return null
      throw error
    }
  }
  const overrides = createOverrides({
    ...{ dataDir, holdsToken, store: recorder.store },
    onChange(state) {
      bus.publish('panel.overridesChanged', state)
      changed()
    },
  })
  const asks: PanelAsks = new Asks(changed)
  const gated = {
    ...options,
    rules: createHostRules(own, connection, changed),
    relay: options.client,
    calls: new PanelCalls(),
    asks,
    here,
  }
  const service = createPanelService({ ...gated, overrides, mayWrite: () => here()?.target.readOnly === false })
  const callers = createCallers(own, connection, service.state)
  const resolvedValue = createGetResolvedValue({ calls: gated.calls, store: recorder.store })
  return { panel: { ...service, callers, callAs: createCallAs(gated), resolvedValue }, overrides }
}
