import type { Schemas } from '../api/client.ts';
import { apiWords } from './api-words.ts';

/** `create_loadbalancer` as people say it: `Create load balancer`. */
export const taskName = (task: Pick<Schemas['Task'], 'task_type'>): string => apiWords(task.task_type);
