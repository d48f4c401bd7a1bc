import { AppError } from '../../../shared/errors.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import { ownOrigin, causedBy } from '../bridge/client/origin.ts'
import type { BridgeClient, ExchangeRecorder } from '../bridge/types.ts'
import type { Bus } from '../bus.ts'
import { hereOf, type Here } from '../operations/here.ts'
import type { Operations } from '../operations/operations.ts'
import { PanelCalls } from './calls.ts'
import { Asks } from './gate/asks.ts'
import { createHostRules } from './host-rules.ts'
import type { PanelOverrides } from './no-overrides.ts'
import { createPanelService, type PanelService } from './service.ts'
import type { PanelView } from './types.ts'

interface Options {
  readonly dataDir: string
  readonly resources: URL
  readonly bus: Bus
  readonly conceal: (text: string) => string
  readonly connection: Connection
  readonly client: BridgeClient
  readonly operations: Operations
  readonly recorder: ExchangeRecorder
  readonly overrides: PanelOverrides
  readonly view: PanelView | null
}

/** Assembles the panel service. */
export function composePanel(options: Options): PanelService {
  const { bus, connection } = options
  const changed = (): void => bus.publish('panel.changed', service.state())
  const here = (): Here | null => {
    try {
      return hereOf(connection)
    } catch (error) {
      if (error instanceof AppError) return null
      throw error
    }
  }
  const service = createPanelService({
    ...options,
    rules: createHostRules(causedBy(options.client, ownOrigin), connection, changed),
    relay: options.client,
    calls: new PanelCalls(),
    asks: new Asks(changed),
    here,
    mayWrite: () => here()?.target.readOnly === false,
  })
  return service
}
