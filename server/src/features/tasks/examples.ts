import { type Examples, SAMPLE } from '../../platform/openapi/examples.ts';

export const taskExamples: Examples = {
  AcknowledgeTasks: { task_ids: [SAMPLE.task] },
  EndTask: { reason: 'Its region was taken down' },
};
