import { buildPath } from '../../../electron/services/bridge/client/request-path.ts'
import { compareCapabilities } from '../../../shared/bridge/capabilities.ts'
import { readResponse } from '../../../shared/bridge/response-reading.ts'
import { ReadPlan, type PlannedRead, type UnaskedRead } from '../../../shared/contract/read-plan.ts'
import type { DemoConnection, DemoResponse } from './demo.ts'

export interface ReadExchange {
  readonly read: PlannedRead
  readonly path: string
  readonly response: DemoResponse
}

/** Asks each read of the contract as `contract check` does. */
export async function askPlannedReads({
  send,
}: DemoConnection): Promise<{ exchanges: ReadExchange[]; unasked: readonly UnaskedRead[] }> {
  const plan = new ReadPlan()
  const exchanges: ReadExchange[] = []
  let templates: Readonly<Record<string, string>> = {}
  for (let read = plan.next(); read; read = plan.next()) {
    const { endpoint, params, query, body } = read
    const path = buildPath(endpoint, params, query, templates[endpoint.id])
    const response = await send(endpoint.method, path, body === undefined ? {} : { body })
    exchanges.push({ read, path, response })
    if (endpoint.id === 'capabilities.get')
      templates = compareCapabilities(readResponse(endpoint.id, response.json).value ?? { routes: [] }).pathOverrides
    plan.addResponse(read, response.type.includes('json') && response.status === 200 ? response.json : undefined)
  }
  return { exchanges, unasked: plan.listUnasked() }
}
