import { z } from 'zod'
import { preparedSchema } from './commands.ts'
import { command, query, topic } from './define.ts'

/** A write that an agent proposes, exactly as it would be sent. */
export const agentAskSchema = z.strictObject({
  id: z.string(),
  at: z.number(),
  /** As the agent calls itself. */
  agent: z.string(),
  prepared: preparedSchema,
})
export type AgentAsk = z.infer<typeof agentAskSchema>

const asks = z.strictObject({ asks: z.array(agentAskSchema) })

export const agentMethods = {
  /** Writes of agents that wait for a person, oldest first. */
  'agents.asks': query(z.strictObject({}), asks),
  /** Decides on one. Throws `ASK_UNKNOWN`. */
  'agents.decide': command(z.strictObject({ id: z.string().max(100), send: z.boolean() }), z.strictObject({})),
}

export const agentTopics = {
  'agents.changed': topic(asks),
}
