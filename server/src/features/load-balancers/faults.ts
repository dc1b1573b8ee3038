export { Faults } from '../../kernel/faults.ts';
