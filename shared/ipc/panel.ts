import { z } from 'zod'
import {
  allowedRouteSchema,
  allowModes,
  panelCallSummarySchema,
  panelCallSchema,
  panelNoteSchema,
  panelSourceSchema,
  panelStateSchema,
  panelWriteModes,
} from '../panel/panel.ts'
import { overrideRuleSchema, overridesStateSchema } from '../panel/overrides.ts'
import {
  defineBinaryCommandMethod,
  defineBinaryQueryMethod,
  defineCommandMethod,
  defineQueryMethod,
  defineTopic,
} from './method-definition.ts'
import { callerReportSchema } from '../panel/caller-report.ts'

export const callerMethods = {
  /** Who may call this on the connected host, from what it says of itself; nothing of the call is sent. */
  'callers.who': defineQueryMethod(
    z.strictObject({ method: z.string().max(20), path: z.string().min(1).max(8000) }),
    callerReportSchema,
  ),
}

const emptySchema = z.strictObject({})
/** No body in the contract comes close. */
const MAX_BODY_CHARS = 4_000_000

export const panelMethods = {
  'panel.get': defineQueryMethod(emptySchema, panelStateSchema),
  /** Opens a panel in place of the one that runs. Throws `PANEL_NOT_FOUND`, `PANEL_NO_INDEX`, `PANEL_NOT_LOOPBACK`. */
  'panel.open': defineCommandMethod(z.strictObject({ source: panelSourceSchema }), panelStateSchema),
  /** Takes the page away, whatever it is doing. */
  'panel.stop': defineCommandMethod(emptySchema, panelStateSchema),
  'panel.reload': defineCommandMethod(emptySchema, panelStateSchema),
  /** Changes how its calls are met. Throws `READ_ONLY` for `let-through` with a profile that may not write. */
  'panel.configure': defineCommandMethod(
    z.strictObject({
      writes: z.enum(panelWriteModes).optional(),
      allowMode: z.enum(allowModes).optional(),
      mine: z.array(allowedRouteSchema).max(1000).optional(),
      /** Null for what the template says. */
      pluginId: z.string().min(1).max(200).nullable().optional(),
    }),
    panelStateSchema,
  ),
  /** Decides on a write that waits. Throws `ASK_UNKNOWN`, and what `operations.send` throws. */
  /** `unasked`: whoever makes the call refuses it by itself, and no person was asked. */
  'panel.decide': defineCommandMethod(
    z.strictObject({ id: z.string().max(100), send: z.boolean(), unasked: z.boolean().optional() }),
    emptySchema,
  ),
  /** Sources opened before, newest first. */
  'panel.recent': defineQueryMethod(emptySchema, z.strictObject({ sources: z.array(panelSourceSchema).max(20) })),
  'panel.forget': defineCommandMethod(z.strictObject({ source: panelSourceSchema }), emptySchema),
  /** Console output, errors and refusals after `after`, oldest first. */
  'panel.notes': defineQueryMethod(
    z.strictObject({ after: z.number().int().nonnegative() }),
    z.strictObject({ notes: z.array(panelNoteSchema).max(1000), dropped: z.number().int().nonnegative() }),
  ),
  'panel.clearNotes': defineCommandMethod(emptySchema, emptySchema),
  /**
   * Makes one call as the page of a plugin's panel does with `host.api`, without a page: through the same gate, without overrides. A write
   * waits for `panel.decide`. Resolves with what `host.api` resolves to, as JSON text; `cut` if the response was too large for that: then with its beginning. Throws
   * `PATH_OUTSIDE` for a path that leads out of the base URL, `BODY_NOT_HERE` for a body that the method cannot have, `TOKEN_IN_REQUEST`.
   */
  'panel.callAs': defineBinaryCommandMethod(
    z.strictObject({
      pluginId: z.string().min(1).max(200),
      method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']),
      path: z.string().startsWith('/').max(8000),
      body: z.string().max(MAX_BODY_CHARS).nullable(),
    }),
    z.strictObject({ call: panelCallSchema, cut: z.boolean(), isFailure: z.boolean() }),
  ),
  /**
   * What `host.api` resolved to for the page that made this exchange, or would resolve to with it, as JSON text. `isFailure`: it has an
   * `error`. Throws `EXCHANGE_UNKNOWN`, `STILL_WAITING`, and `BODY_NOT_KEPT` where the recording cannot tell.
   */
  'panel.resolvedValue': defineBinaryQueryMethod(
    z.strictObject({ exchangeId: z.string().max(100) }),
    z.strictObject({ isFailure: z.boolean() }),
  ),
  /** Both sides of a call; null if it is not known (any more). */
  'panel.call': defineQueryMethod(
    z.strictObject({ exchangeId: z.string().max(100) }),
    z.strictObject({ call: panelCallSchema.nullable() }),
  ),
  /** What lists show of calls; those that are not known (any more) are left out. */
  'panel.calls': defineQueryMethod(
    z.strictObject({ exchangeIds: z.array(z.string().max(100)).max(500) }),
    z.strictObject({ calls: z.array(panelCallSummarySchema) }),
  ),
  /** Where the desktop app's view of the panel lies, in pixels of the page; null hides it. Does nothing in the browser host. */
  'panel.place': defineCommandMethod(
    z.strictObject({
      bounds: z
        .strictObject({ x: z.number(), y: z.number(), width: z.number().positive(), height: z.number().positive() })
        .nullable(),
      zoom: z.number().min(0.25).max(4),
      scheme: z.enum(['system', 'light', 'dark']),
    }),
    emptySchema,
  ),
  /** Asks for a folder with the system's dialog; null if none was chosen. Throws `NOT_HERE` in the browser host. */
  'panel.chooseFolder': defineCommandMethod(emptySchema, z.strictObject({ path: z.string().max(4000).nullable() })),
  /** Opens the developer tools of the desktop app's view. Throws `NOT_HERE` in the browser host. */
  'panel.devTools': defineCommandMethod(emptySchema, emptySchema),
  'panel.overrides': defineQueryMethod(emptySchema, overridesStateSchema),
  /** Replaces the rules, in this order. */
  'panel.saveOverrides': defineCommandMethod(
    z.strictObject({ rules: z.array(overrideRuleSchema).max(500) }),
    overridesStateSchema,
  ),
  /** A rule that answers like a recorded exchange did; it is not saved. Throws `EXCHANGE_UNKNOWN`, `BODY_NOT_KEPT`. */
  'panel.ruleFrom': defineQueryMethod(z.strictObject({ seq: z.number().int().positive() }), overrideRuleSchema),
}

export const panelTopics = {
  'panel.changed': defineTopic(panelStateSchema),
  /** New notes; at most one message in 100 ms. */
  'panel.noted': defineTopic(z.strictObject({ newest: z.number().int().nonnegative() })),
  /** The rules changed, here or in the file. */
  'panel.overridesChanged': defineTopic(overridesStateSchema),
}
