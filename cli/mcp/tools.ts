import { z } from 'zod'
import { isProposable } from '../../shared/agents/proposable.ts'
import { endpoints, type TableRow } from '../../shared/bridge/endpoints/index.ts'
import type { Parameter } from '../../shared/bridge/endpoint.ts'

/** A row of the endpoint table as a tool. */
export interface Tool {
  readonly name: string
  readonly row: TableRow
  readonly description: string
  readonly input: z.ZodObject
}

/** A row's id as the protocol allows names: `studySets.tree` is `studySets_tree`. */
const nameOf = ({ id }: TableRow): string => id.replaceAll('.', '_')

/** Cards in one answer if nothing is said: whoever reads this has a short memory. */
const FEW = 200

const toolOf = (row: TableRow): Tool => ({
  name: nameOf(row),
  row,
  description: `${row.summary} (${row.method} ${row.path})`,
  input: z.object({
    ...Object.fromEntries(row.parameters.map((parameter) => [parameter.name, valueOf(parameter)])),
    ...(row.body ? { body: row.body.describe('JSON body of the request') } : {}),
  }),
})

/** Every row that reads, except what holds a token. */
export const tools: readonly Tool[] = endpoints
  .filter(({ access, secret, upload }) => access === 'read' && !secret && !upload)
  .map(toolOf)

/** Every row that may change something and that an agent may propose. */
export const proposals: readonly Tool[] = endpoints.filter(isProposable).map((row) => {
  const { description, ...tool } = toolOf(row)
  return {
    ...tool,
    description: `Proposes a write: ${description}. A person sees it in the running app and sends or refuses it; confirm is added there. Answers with what became of it.`,
  }
})

function valueOf({ type, values = [], min, max, required, description, source, name }: Parameter): z.ZodType {
  const whole = z
    .int()
    .min(min ?? Number.MIN_SAFE_INTEGER)
    .max(max ?? Number.MAX_SAFE_INTEGER)
  const plain = type === 'integer' ? whole : type === 'enum' ? z.enum(values) : z.string().max(2000)
  const few = name === 'limit' && type === 'integer' ? ` Here ${FEW} if it is left out.` : ''
  const told = plain.describe(`${description}${source === undefined ? '' : ` From ${source}.`}${few}`)
  return required ? told : told.optional()
}

/** The values of a call as `bridge.read` takes them. */
export function readOf({ row, input }: Tool, given: unknown) {
  const values = input.parse(given)
  const params: Record<string, string> = {}
  const query: Record<string, string | number> = {}
  for (const { name, in: where } of row.parameters) {
    const value = values[name] ?? (name === 'limit' ? FEW : undefined)
    if (value === undefined) continue
    if (where === 'path') params[name] = String(value)
    else query[name] = typeof value === 'number' ? value : String(value)
  }
  return { endpoint: row.id, params, query, ...(row.body ? { body: values['body'] } : {}) }
}
