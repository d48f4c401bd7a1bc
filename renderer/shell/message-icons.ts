import { CircleAlert, Info, TriangleAlert } from '@lucide/vue'

export const messageIcons = { info: Info, warning: TriangleAlert, error: CircleAlert } as const
