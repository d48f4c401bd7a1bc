import { z } from 'zod'
import { preparedWriteSchema } from '../operations/prepared-write.ts'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

const pendingProposalSchema = z.strictObject({
  id: z.string(),
  at: z.number(),
  /** The agent chooses this name itself; invisible characters are shown as codes. */
  agent: z.string(),
})
export type PendingProposal = z.infer<typeof pendingProposalSchema>

const agentProposalSchema = pendingProposalSchema.extend({ prepared: preparedWriteSchema })
export type AgentProposal = z.infer<typeof agentProposalSchema>

/** The list omits the writes, which may be large: the page shows only one at a time. */
const proposalListSchema = z.strictObject({ asks: z.array(pendingProposalSchema) })

export const agentMethods = {
  /** Oldest first. */
  'agents.asks': defineQueryMethod(z.strictObject({}), proposalListSchema),
  /** @throws ASK_UNKNOWN */
  'agents.ask': defineQueryMethod(z.strictObject({ id: z.string().max(100) }), agentProposalSchema),
  /** @throws ASK_UNKNOWN */
  'agents.decide': defineCommandMethod(
    z.strictObject({ id: z.string().max(100), send: z.boolean() }),
    z.strictObject({}),
  ),
}

export const agentTopics = {
  'agents.changed': defineTopic(proposalListSchema),
}
