import { CircleAlert, Info, TriangleAlert } from '@lucide/vue'

/** The icon of each level of message. */
export const messageIcons = { info: Info, warning: TriangleAlert, error: CircleAlert } as const
