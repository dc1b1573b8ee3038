package main

import "reflect"

// call calls a function of the makers whose parameters differ from version to version. Of the values it gets those that it
// asks for: they are in the order of its parameters, and what it does not have is left out.
func call(function any, values ...any) (any, error) {
	target := reflect.ValueOf(function)
	arguments := make([]reflect.Value, 0, target.Type().NumIn())
	next := 0
	for index := range target.Type().NumIn() {
		for !reflect.TypeOf(values[next]).AssignableTo(target.Type().In(index)) {
			next++
		}
		arguments = append(arguments, reflect.ValueOf(values[next]))
		next++
	}
	results := target.Call(arguments)
	err, _ := results[1].Interface().(error)
	return results[0].Interface(), err
}
